# SPDX-License-Identifier: BSD-3-Clause
"""Writes mpif.h and the interfaces of the modules mpi and mpi_f08."""
from fort_table import C_PTR_RESULT, HANDLES, KINDS, NOT_F08, OWN_LARGE_NAME

NOTE = '! Written by src/fortran/make_bindings.py from share/abi.\n'
# Lengths of strings in Fortran do not count the final null of C.
ADDRESSES = ('MPI_BOTTOM', 'MPI_IN_PLACE', 'MPI_BUFFER_AUTOMATIC',
             'MPI_UNWEIGHTED', 'MPI_WEIGHTS_EMPTY', 'MPI_ERRCODES_IGNORE',
             'MPI_STATUS_IGNORE', 'MPI_STATUSES_IGNORE')
ARRAYS = {'MPI_UNWEIGHTED': '(1)', 'MPI_WEIGHTS_EMPTY': '(1)',
          'MPI_ERRCODES_IGNORE': '(1)', 'MPI_STATUS_IGNORE': '(8)',
          'MPI_STATUSES_IGNORE': '(8,1)'}
STATUS = (('MPI_STATUS_SIZE', 8), ('MPI_SOURCE', 1), ('MPI_TAG', 2),
          ('MPI_ERROR', 3))
NULL_FUNCTIONS = {
    'comm_copy_attr': ('MPI_COMM_NULL_COPY_FN', 'MPI_COMM_DUP_FN'),
    'comm_delete_attr': ('MPI_COMM_NULL_DELETE_FN',),
    'type_copy_attr': ('MPI_TYPE_NULL_COPY_FN', 'MPI_TYPE_DUP_FN'),
    'type_delete_attr': ('MPI_TYPE_NULL_DELETE_FN',),
    'win_copy_attr': ('MPI_WIN_NULL_COPY_FN', 'MPI_WIN_DUP_FN'),
    'win_delete_attr': ('MPI_WIN_NULL_DELETE_FN',),
    'datarep_conversion': ('MPI_CONVERSION_FN_NULL',),
    'datarep_conversion_c': ('MPI_CONVERSION_FN_NULL_C',),
}
# Datatypes of MPI-1 in weft/mpi_compat.h, which mpif.h and the module mpi also
# define.
REMOVED = (('MPI_LB', 0x23e), ('MPI_UB', 0x23f))
OLD_NULL_FUNCTIONS = ('MPI_NULL_COPY_FN', 'MPI_DUP_FN', 'MPI_NULL_DELETE_FN')


class Wrapped:
    """A file of free form: breaks lines that Fortran 2018 does not allow."""

    def __init__(self, out):
        self.out = out

    def write(self, text):
        for line in text.splitlines():
            while len(line) > 130 and not line.startswith('!'):
                k = line.rfind(',', 0, 128) + 1
                self.out.write(line[:k] + '&\n')
                line = line[k:]
            self.out.write(line + '\n')


def integers(table):
    """Returns the names and values of the integer constants."""
    for type_, value, name in table:
        if type_ != 'int' or name.startswith(('MPI_T_', 'MPI_F_')):
            continue
        if name.startswith('MPI_MAX_'):
            value = str(int(value) - 1)
        yield name, value
    yield from STATUS


def handles(table):
    for type_, value, name in table:
        if type_ in HANDLES:
            yield type_, name, value


def addresses(indent, status):
    """The common blocks of the constants that are known by their address."""
    lines = []
    for name in ADDRESSES:
        if status and name.startswith('MPI_STATUS'):
            lines.append('TYPE(MPI_Status) %s%s' % (
                name, '(1)' if 'ES' in name else ''))
        else:
            lines.append('INTEGER %s%s' % (name, ARRAYS.get(name, '')))
    for name in ADDRESSES:
        lines.append('COMMON /MPI_FORT_ADDRESSES/ ' + name)
    lines += ['CHARACTER*1 MPI_ARGV_NULL(1), MPI_ARGVS_NULL(1,1)',
              'COMMON /MPI_FORT_STRINGS/ MPI_ARGV_NULL, MPI_ARGVS_NULL']
    return ''.join(indent + x + '\n' for x in lines)


def supported(indent, subarrays):
    value = '.TRUE.' if subarrays else '.FALSE.'
    names = ['MPI_SUBARRAYS_SUPPORTED', 'MPI_ASYNC_PROTECTS_NONBLOCKING']
    return ''.join('%sLOGICAL %s\n%sPARAMETER (%s=%s)\n' % (
        indent, n, indent, n, value) for n in names)


def kinds(indent):
    sizes = (('MPI_ADDRESS_KIND', 8), ('MPI_COUNT_KIND', 8),
             ('MPI_OFFSET_KIND', 8), ('MPI_INTEGER_KIND', 4))
    return ''.join('%sINTEGER %s\n%sPARAMETER (%s=%d)\n' % (
        indent, n, indent, n, v) for n, v in sizes)


def old_constants(table, out, indent):
    out.write(kinds(indent))
    pairs = list(integers(table)) + [x[1:] for x in handles(table)]
    pairs += REMOVED
    for name, value in pairs:
        out.write('%sINTEGER %s\n%sPARAMETER (%s=%s)\n' % (
            indent, name, indent, name, value))
    out.write('%sINTEGER(KIND=MPI_OFFSET_KIND) MPI_DISPLACEMENT_CURRENT\n'
              '%sPARAMETER (MPI_DISPLACEMENT_CURRENT=-1)\n' % (indent, indent))
    out.write(supported(indent, False))
    out.write(addresses(indent, False))


def write_mpif(table, out):
    """For fixed and free form: columns 7 to 72, no continuation lines."""
    i = '      '
    out.write(NOTE)
    old_constants(table, out, i)
    for names in list(NULL_FUNCTIONS.values()) + [OLD_NULL_FUNCTIONS]:
        for n in names:
            if not n.endswith('_C'):
                out.write('%sEXTERNAL %s\n' % (i, n))
    for p in ('', 'P'):
        out.write('%sDOUBLE PRECISION %sMPI_WTIME, %sMPI_WTICK\n' % (i, p, p))
        out.write('%sEXTERNAL %sMPI_WTIME, %sMPI_WTICK\n' % (i, p, p))
        for n in ('ADD', 'DIFF'):
            out.write('%sINTEGER(KIND=MPI_ADDRESS_KIND) %sMPI_AINT_%s\n'
                      '%sEXTERNAL %sMPI_AINT_%s\n' % (i, p, n, i, p, n))


def spawn_type(p):
    """The lists of strings of MPI_Comm_spawn and MPI_Comm_spawn_multiple."""
    return 'CHARACTER(LEN=*),INTENT(IN) :: %s%s' % (
        p.name, '(count,*)' if p.stars == '**' else '(*)')


class Declarer:
    """Declares the arguments of one function for one module."""

    def __init__(self, f08, cptr=False):
        self.f08, self.cptr = f08, cptr

    def type_of(self, p):
        if p.handle:
            return 'TYPE(%s)' % p.type if self.f08 else 'INTEGER'
        if p.status:
            return 'TYPE(MPI_Status)' if self.f08 else 'INTEGER'
        if p.logical:
            return 'LOGICAL'
        if p.type in KINDS:
            return 'INTEGER(%s)' % KINDS[p.type]
        if p.string:
            return 'CHARACTER(LEN=*)'
        if p.state:
            old = p.function in NOT_F08
            return 'INTEGER' if old else 'INTEGER(MPI_ADDRESS_KIND)'
        if p.result_address:
            return 'TYPE(C_PTR)' if self.f08 or self.cptr else \
                'INTEGER(MPI_ADDRESS_KIND)'
        return 'INTEGER'

    def shape_of(self, p):
        if p.status and not self.f08:
            return '(MPI_STATUS_SIZE,*)' if p.statuses else '(MPI_STATUS_SIZE)'
        if p.ranges:
            return '(3,*)'
        return '(*)' if (p.array and not p.string) or p.statuses else ''

    def choice(self, p, pending):
        if not self.f08:
            return '!GCC$ ATTRIBUTES NO_ARG_CHECK :: %s\n' \
                '!DIR$ IGNORE_TKR %s\nTYPE(*),DIMENSION(*)%s :: %s' % (
                    p.name, p.name, ',TARGET' if pending else '', p.name)
        return 'TYPE(*),DIMENSION(..)%s%s :: %s' % (
            ',INTENT(IN)' if p.const else '',
            ',ASYNCHRONOUS,TARGET' if pending else '', p.name)

    def declare(self, p, pending):
        if p.choice or p.result_address and not self.f08 and \
                p.name == 'buffer_addr':
            return self.choice(p, pending)
        if p.callback:
            return 'PROCEDURE(%s) :: %s' % (p.type, p.name) if self.f08 else \
                'EXTERNAL %s' % p.name
        if p.type == 'char' and not p.string:
            return spawn_type(p)
        intent = ',INTENT(IN)' if p.state and 'get' not in p.function else \
            ',INTENT(OUT)' if p.state or p.result_address else \
            ',INTENT(%s)' % p.intent if p.intent else ''
        return '%s%s :: %s%s' % (self.type_of(p), intent, p.name,
                                 self.shape_of(p))


FUNCTIONS = {'Wtime': 'DOUBLE PRECISION', 'Wtick': 'DOUBLE PRECISION',
             'Aint_add': 'INTEGER(MPI_ADDRESS_KIND)',
             'Aint_diff': 'INTEGER(MPI_ADDRESS_KIND)'}


def pending(f):
    """Whether the buffer is in use after the return of the call. gfortran
    keeps the value of a variable in a register across MPI_Wait unless the
    dummy argument of the first call is a TARGET."""
    return f.base.startswith(('I', 'Rget', 'Rput', 'Racc', 'Win_', 'Put',
                              'Get', 'Acc', 'Fetch', 'Compare')) or \
        f.base.endswith(('_init', '_begin', '_end')) or '_i' in f.base or \
        'attach' in f.base


def interface(f, name, d, bind, out):
    """One interface body."""
    kind = 'FUNCTION' if f.name in FUNCTIONS else 'SUBROUTINE'
    args = [p.name for p in f.params]
    status = f.name != 'Pcontrol' and kind == 'SUBROUTINE'
    if status:
        args.append('ierror')
    out.write('%s %s(%s)%s\nIMPORT\n' % (kind, name, ','.join(args), bind))
    if kind == 'FUNCTION':
        out.write('%s :: %s\n' % (FUNCTIONS[f.name], name))
    # a declaration may only use arguments that were declared before it
    order = sorted(f.params, key=lambda p: p.type == 'char' and p.stars == '**')
    for p in order:
        out.write(d.declare(p, pending(f)) + '\n')
    if status:
        out.write('INTEGER%s,INTENT(OUT) :: ierror\n' % (
            ',OPTIONAL' if d.f08 else ''))
    out.write('END %s\n' % kind)


def write_mpi(table, all_, plain):
    out = Wrapped(plain)
    out.write(NOTE + 'MODULE mpi\nUSE, INTRINSIC :: ISO_C_BINDING, ONLY: '
              'C_PTR\nUSE mpi_fort_types\nIMPLICIT NONE\n')
    out.write('PRIVATE :: C_PTR\n')
    old_constants(table, out, '')
    for names in list(NULL_FUNCTIONS.values()) + [OLD_NULL_FUNCTIONS]:
        out.write('EXTERNAL %s\n' % ','.join(
            n for n in names if not n.endswith('_C'))
            if names[0][-2:] != '_C' else '')
    for f in all_:
        if f.large:
            continue
        for prefix in ('', 'P'):
            full = prefix + f.c_name
            out.write('INTERFACE %s\n' % (
                full if f.base in C_PTR_RESULT else ''))
            interface(f, full, Declarer(False), '', out)
            if f.base in C_PTR_RESULT:
                interface(f, full + '_cptr', Declarer(False, True), '', out)
            out.write('END INTERFACE\n')
    out.write('END MODULE mpi\n')


def f08_name(f, prefix):
    return '%s%s_%s' % (prefix, f.c_name, 'f08ts' if f.has_choice else 'f08')


def one_f08(f, prefix, out):
    name = f08_name(f, prefix)
    bind = ' BIND(C,NAME="%s_")' % name.lower() if f.has_choice else ''
    interface(f, name, Declarer(True), bind, out)


def write_f08(table, f08, head, plain):
    out = Wrapped(plain)
    out.write(NOTE + 'MODULE mpi_f08\n')
    out.write(head)
    for name, value in integers(table):
        out.write('INTEGER,PARAMETER :: %s=%s\n' % (name, value))
    out.write('INTEGER(MPI_OFFSET_KIND),PARAMETER :: '
              'MPI_DISPLACEMENT_CURRENT=-1\n')
    for type_, name, value in handles(table):
        out.write('TYPE(%s),PARAMETER :: %s=%s(%s)\n' % (
            type_, name, type_, value))
    out.write(supported('', True) + addresses('', True))
    for kind, names in NULL_FUNCTIONS.items():
        kind = kind[:-2] + '_function_c' if kind.endswith('_c') \
            else kind + '_function'
        out.write('PROCEDURE(MPI_%s) :: %s\n' % (kind, ','.join(names)))
    groups = {}
    for f in f08:
        generic = f.name if f.base in OWN_LARGE_NAME else f.base
        groups.setdefault(generic, []).append(f)
    for generic, forms in groups.items():
        for prefix in ('', 'P'):
            out.write('INTERFACE %sMPI_%s\n' % (prefix, generic))
            for f in forms:
                one_f08(f, prefix, out)
            out.write('END INTERFACE\n')
    out.write('END MODULE mpi_f08\n')
