/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Style and scripts of a page, from page.css and the .js files of this folder;
 * the build generates page_asset.c from these files.
 */
#ifndef WEFT_PAGE_ASSET_H
#define WEFT_PAGE_ASSET_H

#include <stddef.h>

extern const unsigned char page_css[];
extern const size_t page_css_size;
extern const unsigned char page_js[];
extern const size_t page_js_size;

#endif
