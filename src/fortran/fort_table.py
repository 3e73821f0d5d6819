# SPDX-License-Identifier: BSD-3-Clause
"""The ABI tables, and how each C parameter appears in Fortran."""
import re

HANDLES = {
    'MPI_Comm': 'Comm', 'MPI_Datatype': 'Type', 'MPI_Errhandler': 'Errhandler',
    'MPI_File': 'File', 'MPI_Group': 'Group', 'MPI_Info': 'Info',
    'MPI_Message': 'Message', 'MPI_Op': 'Op', 'MPI_Request': 'Request',
    'MPI_Session': 'Session', 'MPI_Win': 'Win',
}
KINDS = {'MPI_Aint': 'MPI_ADDRESS_KIND', 'MPI_Count': 'MPI_COUNT_KIND',
         'MPI_Offset': 'MPI_OFFSET_KIND'}
LOGICALS = {'flag', 'periods', 'reorder', 'remain_dims', 'high', 'commute',
            'weighted', 'is_set'}
INDICES = {'Waitany', 'Testany', 'Waitsome', 'Testsome',
           'Request_get_status_any', 'Request_get_status_some'}

# Functions of the table without a Fortran form: the tools interface, and the
# conversions that exist for C alone.
C_ONLY = re.compile(r'MPI_(T_.*|.*_(to|from)int)$')
# Deprecated since MPI 2.0: in mpif.h and the module mpi, not in mpi_f08.
NOT_F08 = {'Attr_delete', 'Attr_get', 'Attr_put', 'Keyval_create',
           'Keyval_free'}
# The bodies of these are in fort_special.c, fort_attr.c, fort_spawn.c and
# fort_callback_calls.c, because their Fortran form differs from the C form in
# more than the types.
SPECIAL = set('''Init Init_thread Pcontrol Info_create_env Info_get
    Info_get_string Session_init Session_get_nth_pset Comm_spawn Comm_spawn_multiple
    Op_create Op_create_c Grequest_start Register_datarep Register_datarep_c
    Comm_create_keyval Type_create_keyval Win_create_keyval Keyval_create
    Comm_create_errhandler File_create_errhandler Win_create_errhandler
    Session_create_errhandler Comm_get_attr Comm_set_attr Type_get_attr
    Type_set_attr Win_get_attr Win_set_attr Attr_get Attr_put
    Type_get_contents Type_get_contents_c Buffer_detach Buffer_detach_c
    Comm_detach_buffer Comm_detach_buffer_c Session_detach_buffer
    Session_detach_buffer_c Wtime Wtick Aint_add Aint_diff'''.split())
# In mpif.h and the module mpi these set an address as an INTEGER; a second
# form of the module mpi and the only form of mpi_f08 set a TYPE(C_PTR).
C_PTR_RESULT = {'Alloc_mem', 'Win_allocate', 'Win_allocate_shared',
                'Win_shared_query'}
# mpi_f08 has the large-count forms of these under names of their own: a generic
# name cannot be resolved by the interface of a procedure argument.
OWN_LARGE_NAME = {'Op_create', 'Register_datarep'}


class Param:
    """One parameter of a C function."""

    def __init__(self, text, function):
        m = re.match(r'(const )?(\w+) (\**)(\w+)((?:\[\d*\])*)$', text)
        self.const = bool(m.group(1))
        self.type, self.stars, self.name = m.group(2), m.group(3), m.group(4)
        self.array = bool(m.group(5))
        self.ranges = '[3]' in m.group(5)
        self.function = function
        if self.name == 'indx':
            self.name = 'index'
        if function.startswith('Precv_init') and self.name == 'dest':
            self.name = 'source'

    @property
    def pointer(self):
        return bool(self.stars) or self.array

    @property
    def logical(self):
        return self.type == 'int' and self.name in LOGICALS

    @property
    def handle(self):
        return self.type in HANDLES

    @property
    def integer(self):
        return self.type == 'int' or self.type in KINDS

    @property
    def string(self):
        return self.type == 'char' and len(self.stars) + self.array == 1

    @property
    def callback(self):
        return self.type.endswith(('_function', '_function_c'))

    @property
    def status(self):
        return self.type == 'MPI_Status'

    @property
    def statuses(self):
        return self.status and self.name == 'array_of_statuses'

    @property
    def state(self):
        """An attribute or extra state: an INTEGER of address size."""
        return self.type == 'void' and (
            self.name == 'extra_state' or self.name == 'attribute_val')

    @property
    def result_address(self):
        return self.name == 'baseptr' or self.name == 'buffer_addr'

    @property
    def choice(self):
        return self.type == 'void' and not self.state and \
            not self.result_address

    @property
    def inout(self):
        f = self.function
        return f.startswith(('Wait', 'Test', 'Start', 'Cancel')) or \
            f.endswith(('_free', '_free_keyval', '_disconnect', '_close',
                        '_commit', 'Session_finalize')) or \
            self.name in ('message', 'position', 'buflen', 'pset_len') and \
            'robe' not in f or self.name == 'dims' or \
            f.startswith('Status_set')

    @property
    def intent(self):
        if self.const or not self.pointer or self.callback:
            return 'IN'
        if self.type == 'void' or self.status and not self.inout:
            return ''
        if self.name.endswith(('weights', 'errcodes')):
            return ''
        return 'INOUT' if self.inout else 'OUT'


class Function:
    """One function of the ABI."""

    def __init__(self, line):
        _, self.result, c_name, params = line.rstrip('\n').split('\t')
        self.c_name = c_name
        self.name = c_name[4:]
        self.large = self.name.endswith('_c')
        self.base = self.name[:-2] if self.large else self.name
        self.special = self.name in SPECIAL
        texts = [] if params == 'void' else params.split(', ')
        if self.base in ('Init', 'Init_thread', 'Info_create_env'):
            texts = [t for t in texts if not re.search(r'\bargc|\bargv', t)]
        self.params = [Param(t, self.base) for t in texts if t != '...']

    @property
    def has_choice(self):
        return any(p.choice for p in self.params)

    @property
    def is_function(self):
        return self.result != 'int'

    def shape(self):
        """The Fortran types of the arguments, for the choice by a generic."""
        return [(KINDS.get(p.type, p.type).replace('MPI_COUNT', 'K8')
                 .replace('MPI_ADDRESS', 'K8').replace('MPI_OFFSET', 'K8'),
                 p.array) for p in self.params]


def functions(path):
    with open(path) as f:
        all_ = [Function(x) for x in f if not x.startswith('#')]
    return [f for f in all_ if not C_ONLY.match(f.c_name)]


def declared(header):
    """The names of the functions that mpi.h declares for programs."""
    with open(header) as f:
        text = f.read().split('#ifdef WEFT_MPI_NOT_YET')[0]
    return set(re.findall(r'\b(MPI_\w+)\(', text))


def f08_functions(all_):
    """Those of mpi_f08: a large form that has the types of the other form
    is left out, since one call serves for both."""
    small = {f.name: f for f in all_ if not f.large}
    return [f for f in all_ if f.name not in NOT_F08 and not (
        f.large and f.base not in OWN_LARGE_NAME
        and f.shape() == small[f.base].shape())]


def constants(path):
    with open(path) as f:
        return [x.rstrip('\n').split('\t') for x in f if not x.startswith('#')]
