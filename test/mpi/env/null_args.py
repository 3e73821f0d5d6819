#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes a C program that calls every function of mpi.h with one null argument.

For each parameter that is a handle, the function is called with the null handle
of its type; for each pointer to one result, with a null pointer. The other
arguments are valid: MPI_COMM_SELF, predefined handles, memory, 0. The call must
return an error whose class belongs to the parameter. test/mpi/run_null_args.sh
compiles and runs the program.

Usage: null_args.py MPI_H"""
import re
import sys

# by type: the null handle, the error classes that it may cause, and a valid
# handle
HANDLES = {
    "MPI_Comm": ("MPI_COMM_NULL", ("MPI_ERR_COMM",), "MPI_COMM_SELF"),
    "MPI_Datatype": ("MPI_DATATYPE_NULL", ("MPI_ERR_TYPE",), "MPI_INT"),
    "MPI_Op": ("MPI_OP_NULL", ("MPI_ERR_OP",), "MPI_SUM"),
    "MPI_Group": ("MPI_GROUP_NULL", ("MPI_ERR_GROUP",), "MPI_GROUP_EMPTY"),
    "MPI_Win": ("MPI_WIN_NULL", ("MPI_ERR_WIN",), "win"),
    "MPI_File": ("MPI_FILE_NULL", ("MPI_ERR_FILE",), "file"),
    "MPI_Session": ("MPI_SESSION_NULL", ("MPI_ERR_SESSION",), "session"),
    "MPI_Errhandler": ("MPI_ERRHANDLER_NULL", (
        "MPI_ERR_ARG", "MPI_ERR_ERRHANDLER"), "MPI_ERRORS_RETURN"),
    "MPI_Info": (None, (), "info"),
    "MPI_Request": (None, (), "MPI_REQUEST_NULL"),
    "MPI_Message": (None, (), "MPI_MESSAGE_NULL"),
}
# valid arguments of single functions, by function and parameter
OTHERS = (
    (r"MPI_(Cart|I?[Nn]eighbor)", "comm", "cart"),
    (r"MPI_Dist_graph_neighbors", "comm", "adjacent"),
    (r"MPI_Graph", "comm", "graph"),
    (r".*_external", "datarep", '"external32"'),
    (r"MPI_Win", "disp_unit", "1"),
    (r"MPI_File_open", "amode", "MPI_MODE_RDWR"),
    (r"MPI_File_open", "filename", "name"),
    (r"MPI_Info", "key", '"key"'),
)
# not called: functions that return no error, end the process, or need other
# threads or jobs
NOT_CALLED = re.compile(
    r"MPI_(T_|Init|Finalize|Abort|Pcontrol|Session_init|Session_finalize|"
    r"Comm_spawn|Comm_accept|Comm_connect|Comm_join|Open_port|DUP_FN|.*_FN$|"
    r".*(c2f|f2c|f082c|c2f08|toint|fromint|f082f|f2f08)$|"
    r"Aint_|Wtime|Wtick|Status_)")
# calls that a null argument does not make invalid: null handles have names, and
# MPI_FILE_NULL has the default error handler of files
ALLOWED = re.compile(
    r"MPI_(Comm|Type|Win)_get_name|MPI_File_(call|get|set)_errhandler")
# arrays, which may be null if their length is 0
ARRAYS = re.compile("array_of|.*weights$")
# calls in which another argument is invalid, too, with the error class of that
# argument
ALSO = (
    (r"MPI_Type_create_(darray|subarray)", "MPI_ERR_ARG"),
    (r"MPI_Comm_remote_|MPI_Intercomm_merge", "MPI_ERR_COMM"),
    (r"MPI_Intercomm_create_from_groups", "MPI_ERR_RANK"),
    (r"MPI_I?[Mm]recv", "MPI_ERR_REQUEST"),
)


def functions(text):
    """(name, [(type, name, array)]) of each function."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r"^\s*#.*(\\\n.*)*", "", text, flags=re.M)
    for m in re.finditer(r"^int (MPI_\w+)\(([^;{]*?)\)\s*(?:\w+\s*)?;", text, re.M):
        parts = []
        for p in m.group(2).split(","):
            p = " ".join(p.split())
            q = re.match(r"(const )?([\w ]+?) ?(\**) ?(?:restrict )?(\w+)?"
                         r"((?:\[\d*\])*)$", p)
            if not q:
                parts = None
                break
            parts.append((q.group(2), q.group(3), q.group(4) or "",
                          bool(q.group(5)), bool(q.group(1))))
        if parts is not None and not NOT_CALLED.match(m.group(1)):
            yield m.group(1), parts


def valid(function, part):
    kind, stars, name, array, _ = part
    for f, parameter, value in OTHERS:
        if re.match(f, function) and name == parameter:
            return value
    if stars or array:
        return "(void *)memory"
    if kind in HANDLES:
        return HANDLES[kind][2]
    if kind.endswith(("_function", "_function_c", "_fn")):
        return "(void *)function"
    return "0"


def null(part):
    """The null argument and the classes of its error; None if there is none."""
    kind, stars, name, array, const = part
    if not stars and not array and HANDLES.get(kind, (None,))[0]:
        return HANDLES[kind][:2]
    if stars == "*" and not array and not const and kind != "void" and \
            kind != "char" and kind != "MPI_Status" and \
            not ARRAYS.match(name) and \
            not kind.endswith(("_function", "_function_c", "_fn")):
        return "NULL", ("MPI_ERR_ARG",)
    return None


def classes(function, own):
    return own + tuple(c for f, c in ALSO if re.match(f, function))


def main():
    with open(sys.argv[1]) as f:
        text = f.read()
    for name, parts in functions(text):
        for i, part in enumerate(parts):
            bad = null(part)
            if not bad or (ALLOWED.match(name) and bad[0] != "NULL"):
                continue
            values = [valid(name, p) for p in parts]
            values[i] = bad[0]
            print("\tCASE(%s(%s),\n\t     %s)" % (
                name, ", ".join(values), " || ".join(
                    "class == " + c for c in classes(name, bad[1]))))


main()
