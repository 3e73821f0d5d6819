# SPDX-License-Identifier: BSD-3-Clause
"""Writes the C functions that Fortran programs call."""
from fort_table import C_PTR_RESULT, HANDLES, INDICES, KINDS, NOT_F08

HEAD = '''/* SPDX-License-Identifier: BSD-3-Clause */
/* Written by src/fortran/make_bindings.py from share/abi/functions. */
#include "src/fortran/fort.h"
#include "src/fortran/fort_section.h"

'''

# number of elements of an array argument, by function and argument
LENGTHS = {
    'array_of_requests': {'Waitsome': '*incount', 'Testsome': '*incount',
                          'Request_get_status_some': '*incount'},
    'periods': {'Cart_get': '*maxdims'},
    'remain_dims': {'Cart_sub': 'fort_cart_dims(comm)'},
}
DEFAULT_LENGTH = {'array_of_requests': '*count', 'array_of_types': '*count',
                  'periods': '*ndims'}

# length of a string result, without the final null
STRINGS = {
    'Error_string': 'MPI_MAX_ERROR_STRING', 'File_get_view':
    'MPI_MAX_DATAREP_STRING', 'Get_library_version':
    'MPI_MAX_LIBRARY_VERSION_STRING', 'Get_processor_name':
    'MPI_MAX_PROCESSOR_NAME', 'Info_get_nthkey': 'MPI_MAX_INFO_KEY',
    'Lookup_name': 'MPI_MAX_PORT_NAME', 'Open_port': 'MPI_MAX_PORT_NAME',
}


def length(p, f):
    if p.name in ('sendtypes', 'recvtypes'):
        if 'eighbor' in f.name:
            return 'fort_neighbors(comm, %d)' % (p.name == 'sendtypes')
        return 'fort_peers(comm)'
    return LENGTHS.get(p.name, {}).get(f.base, DEFAULT_LENGTH.get(p.name))


def c_type(p):
    if p.handle or p.type == 'int':
        return 'int *'
    if p.type in KINDS:
        return p.type + ' *'
    if p.state:
        return 'MPI_Aint *'
    if p.result_address:
        return 'void **'
    return {'void': 'void *', 'char': 'char *', 'MPI_Status': 'int *'}[p.type]


class Body:
    """The statements of one function."""

    def __init__(self, f):
        self.before, self.after, self.args = [], [], []
        for p in f.params:
            self.add(p, f)

    def add(self, p, f):
        n = p.name
        if p.handle and not p.pointer:
            self.args.append('fort_%s(*%s)' % (HANDLES[p.type], n))
        elif p.handle and p.array:
            self.handles(p, length(p, f))
        elif p.handle:
            self.one_handle(p)
        elif p.logical:
            self.logical(p, f)
        elif p.string:
            self.string(p, f)
        elif p.status:
            self.status(p)
        elif p.choice:
            self.args.append('fort_buf(%s)' % n)
        elif p.name.endswith('weights'):
            self.args.append('fort_weights(%s)' % n)
        elif p.ranges:
            self.args.append('(int(*)[3])' + n)
        elif p.pointer:
            self.args.append(n)
        else:
            self.args.append('*' + n)
        if p.name == 'index' and f.base in INDICES:
            self.after.append('fort_index(%s, 1);' % n)
        if p.name == 'array_of_indices':
            self.after.append('fort_index(%s, *outcount);' % n)

    def one_handle(self, p):
        n, h = p.name, HANDLES[p.type]
        if p.inout:
            self.before.append('%s %s_ = fort_%s(*%s);' % (p.type, n, h, n))
            self.after.append('fort_%s_update(%s, %s_);' % (h, n, n))
        else:
            self.before.append('%s %s_ = (%s)0;' % (p.type, n, p.type))
            self.after.append('if (!rc) *%s = fort_%s_int(%s_);' % (n, h, n))
        self.args.append('&%s_' % n)

    def handles(self, p, count):
        n, h = p.name, HANDLES[p.type]
        self.before.append('struct fort_mem %s_m;' % n)
        self.before.append('%s *%s_ = fort_%s_array(&%s_m, %s, %s);' % (
            p.type, n, h, n, n, count))
        if not p.const:
            self.after.append('fort_requests_update(%s, %s_, %s);' % (
                n, n, count))
        self.after.append('fort_mem_end(&%s_m);' % n)
        self.args.append(n + '_')

    def logical(self, p, f):
        n = p.name
        if p.array:
            self.before.append('struct fort_mem %s_m;' % n)
            self.before.append('int *%s_ = fort_bools(&%s_m, %s, %s);' % (
                n, n, n, length(p, f)))
            if not p.const:
                self.after.append('if (!rc) fort_bools_update(%s, %s_, %s);' % (
                    n, n, length(p, f)))
            self.after.append('fort_mem_end(&%s_m);' % n)
            self.args.append(n + '_')
        elif p.pointer:
            self.before.append('int %s_ = 0;' % n)
            self.after.append('if (!rc) *%s = fort_logical(%s_);' % (n, n))
            self.args.append('&%s_' % n)
        else:
            self.args.append('fort_bool(*%s)' % n)

    def string(self, p, f):
        n = p.name
        if p.const or p.array:
            self.before.append('struct fort_mem %s_m;' % n)
            self.before.append('char *%s_ = fort_string(&%s_m, %s, %s_n);' % (
                n, n, n, n))
            self.after.append('fort_mem_end(&%s_m);' % n)
        else:
            self.before.append('char %s_[%s + 1] = "";' % (
                n, STRINGS.get(f.base, 'MPI_MAX_OBJECT_NAME')))
            self.after.append('if (!rc) fort_pad(%s, %s_n, %s_);' % (n, n, n))
        self.args.append(n + '_')

    def status(self, p):
        if p.const or p.inout and p.function.startswith('Status'):
            self.args.append('(MPI_Status *)' + p.name)
        else:
            self.args.append('fort_status(%s)' % p.name)


def signature(f, pair='void *'):
    args = ['%s%s' % (pair if p.choice else c_type(p), p.name)
            for p in f.params]
    args.append('int *ierror')
    args += ['size_t %s_n' % p.name for p in f.params if p.string]
    return ', '.join(args)


def body(f, out):
    b = Body(f)
    out.write('static void f_%s(%s)\n{\n' % (f.name, signature(f)))
    for x in b.before:
        out.write('\t%s\n' % x)
    out.write('\tint rc = FORT_C(%s)(%s);\n\n' % (f.name, ', '.join(b.args)))
    for x in b.after:
        out.write('\t%s\n' % x)
    out.write('\tfort_end(ierror, rc);\n}\n')


# How an array section is passed to C. "one": the section is a buffer with one
# count and datatype; "many": several blocks of one datatype; "copy": a
# contiguous copy is passed.
def strategy(f, p):
    names = [q.name for q in f.params]
    nonblocking = f.base.startswith(('I', 'Rget', 'Rput', 'Racc')) or \
        f.base.endswith('_init') or '_i' in f.base
    root = f.base[1:].capitalize() if f.base.startswith('I') else f.base
    root = root.replace('_init', '')
    one_count = {'buf': 'count', 'buffer': 'count', 'inbuf': 'incount',
                 'outbuf': 'outcount'}.get(p.name)
    if p.name.startswith(('send', 'recv', 'origin', 'result')):
        one_count = p.name.replace('buf', 'count').replace('_addr', '_count')
    types = [q for q in names if q.endswith(('type', 'types'))]
    if f.name.startswith(('Reduce', 'Ireduce', 'Allreduce', 'Iallreduce',
                          'Scan', 'Iscan', 'Exscan', 'Iexscan')):
        return ('copy', nonblocking)
    mine = [t for t in types if t[:4] == p.name[:4]] or \
        [t for t in types if t in ('datatype', 'sendtype') and
         len(types) == 1]
    if p.name in ('inbuf', 'outbuf'):
        mine = ['datatype'] if one_count in names else []
    if not mine:
        return None
    if mine[0].endswith('types'):
        return ('copy', nonblocking)
    several = p.name == 'recvbuf' and root.endswith(
        ('gather', 'gatherv')) or p.name == 'sendbuf' and root.startswith(
        'Scatter') or 'lltoall' in root or 'partitions' in names
    if several:
        return ('many', nonblocking, mine[0])
    return ('one', nonblocking, one_count, mine[0]) \
        if one_count in names else None


def section_lines(f):
    """Returns the calls that open the sections, and the new arguments."""
    opens, args = [], {}
    for i, p in enumerate(q for q in f.params if q.choice):
        s = strategy(f, p)
        n = p.name
        if not s:
            args[n] = n + '->base_addr'
            continue
        args[n] = 's[%d].addr' % i
        if s[0] == 'one':
            opens.append('fort_one(&s[%d], %s, *%s, *%s)' % (
                i, n, s[2], s[3]))
            args[s[2]] = '&s[%d].%s' % (i, 'count' if f.large else 'n')
            args[s[3]] = '&s[%d].type' % i
        elif s[0] == 'many':
            opens.append('fort_many(&s[%d], %s, *%s, %d, %d)' % (
                i, n, s[2], s[1], p.const))
            args[s[2]] = '&s[%d].type' % i
        else:
            opens.append('fort_copy(&s[%d], %s, %d, %d)' % (
                i, n, s[1], p.const))
    return opens, args


def descriptor_form(f, out):
    """The f08ts form: buffers are descriptors."""
    buffers = [p.name for p in f.params if p.choice]
    opens, args = section_lines(f)
    strings = [p.name for p in f.params if p.string]
    sig = signature(f, 'CFI_cdesc_t *')
    for s in strings:
        sig = sig.replace('char *' + s, 'CFI_cdesc_t *' + s).replace(
            ', size_t %s_n' % s, '')

    def call(changed):
        names = [changed.get(p.name, p.name) for p in f.params] + ['ierror']
        names = [x + '->base_addr' if x in strings else x for x in names]
        return 'f_%s(%s);' % (f.name, ', '.join(
            names + [x + '->elem_len' for x in strings]))
    plain = {b: b + '->base_addr' for b in buffers}
    if opens:
        slow_form(f, sig, opens, call(args), len(buffers), out)
    out.write('void FORT_F(%s_f08ts_)(%s);\n' % (f.c_name.lower(), sig))
    out.write('FORT_EXPORT void FORT_F(%s_f08ts_)(%s)\n{\n' % (
        f.c_name.lower(), sig))
    if opens:
        same = [p.name for p in f.params] + ['ierror']
        out.write('\tif (%s)\n\t\t%s\n\telse\n\t\ts_%s(%s);\n}\n' % (
            ' && '.join('fort_plain(%s)' % b for b in buffers), call(plain),
            f.name, ', '.join(same)))
    else:
        out.write('\t%s\n}\n' % call(plain))


def slow_form(f, sig, opens, call, n, out):
    """The call with sections, in a function of its own: the other calls
    then need no stack frame."""
    out.write('static FORT_SLOW void s_%s(%s)\n{\n' % (f.name, sig))
    out.write('\tstruct fort_section s[%d] = { 0 };\n\tint rc = 0;\n\n' % n)
    for o in opens:
        out.write('\tif (!rc)\n\t\trc = %s;\n' % o)
    out.write('\tif (rc)\n\t\tfort_end(ierror, rc);\n\telse\n\t\t%s\n' %
              call)
    out.write('\tfort_close(s, %d);\n}\n' % n)


def one(f, in_f08, out):
    if not f.special:
        body(f, out)
    lower = f.c_name.lower()
    if not f.large and not f.special:
        out.write('FORT_ALIAS(f_%s, %s_)\n' % (f.name, lower))
        if f.base in C_PTR_RESULT:
            out.write('FORT_ALIAS(f_%s, %s_cptr_)\n' % (f.name, lower))
    if in_f08 and f.has_choice:
        descriptor_form(f, out)
    elif in_f08 and not f.special:
        out.write('FORT_ALIAS(f_%s, %s_f08_)\n' % (f.name, lower))
    out.write('\n')


def write(all_, f08, out):
    out.write(HEAD)
    names = {f.name for f in f08}
    for f in all_:
        if f.large and f.name not in names or f.special:
            continue
        one(f, f.name in names and f.base not in NOT_F08, out)


def write_have(all_, out):
    """Which functions the library has, for the bodies written by hand."""
    out.write('/* Written by src/fortran/make_bindings.py. */\n')
    for f in all_:
        if f.special:
            out.write('#define FORT_HAVE_%s 1\n' % f.name)
