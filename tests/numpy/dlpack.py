"""Exchanges arrays between NumPy and sinter in one process, by DLPack, without a copy.

    dlpack.py PEER

PEER is tests/dlpack/peer.cpp as a library. Capsules are made and opened by ctypes; deleters are counted. Exit status
3: there is no NumPy here that knows DLPack.
"""

import ctypes
import gc
import os
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    # The system's own Python has the distribution's NumPy even where another one comes first in PATH.
    if sys.executable != "/usr/bin/python3" and os.path.exists("/usr/bin/python3"):
        os.execv("/usr/bin/python3", ["/usr/bin/python3", "-B", *sys.argv])
    print("no Python with NumPy here: nothing is exchanged with it")
    sys.exit(3)

if not hasattr(np, "from_dlpack"):
    print(f"NumPy {np.__version__} knows no DLPack")
    sys.exit(3)

VERSIONED = tuple(int(p) for p in np.__version__.split(".")[:2]) >= (2, 1)
TYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
         "complex64", "complex128"] + (["bool"] if VERSIONED else [])
READ_ONLY, COPIED = 1, 2
C = ctypes


class Device(C.Structure):
    _fields_ = [("kind", C.c_int32), ("index", C.c_int32)]


class Tensor(C.Structure):
    _fields_ = [("data", C.c_void_p), ("device", Device), ("ndim", C.c_int32), ("code", C.c_uint8), ("bits", C.c_uint8),
                ("lanes", C.c_uint16), ("shape", C.POINTER(C.c_int64)), ("strides", C.POINTER(C.c_int64)),
                ("offset", C.c_uint64)]


class Old(C.Structure):
    _fields_ = [("tensor", Tensor), ("context", C.c_void_p), ("deleter", C.c_void_p)]


class New(C.Structure):
    _fields_ = [("major", C.c_uint32), ("minor", C.c_uint32), ("context", C.c_void_p), ("deleter", C.c_void_p),
                ("flags", C.c_uint64), ("tensor", Tensor)]


python = C.pythonapi
python.PyCapsule_New.restype, python.PyCapsule_New.argtypes = C.py_object, [C.c_void_p, C.c_char_p, C.c_void_p]
python.PyCapsule_GetPointer.restype = C.c_void_p
python.PyCapsule_GetPointer.argtypes = [C.py_object, C.c_char_p]
python.PyCapsule_SetName.argtypes = [C.py_object, C.c_char_p]
NAMES = {False: b"dltensor", True: b"dltensor_versioned"}
USED = {False: b"used_dltensor", True: b"used_dltensor_versioned"}  # capsules keep no copy of their name
DELETER = C.CFUNCTYPE(None, C.c_void_p)


class Watched:
    """A tensor whose deleter counts how often it was called."""

    def __init__(self, address, versioned):
        self.struct = (New if versioned else Old).from_address(address)
        self.calls = 0
        own = self.struct.deleter
        self.original = DELETER(own)
        self.counting = DELETER(self.count)
        self.struct.deleter = C.cast(self.counting, C.c_void_p)

    def count(self, address):
        self.calls += 1
        self.original(address)


class Peer:
    def __init__(self, path):
        self.lib = lib = C.CDLL(path)
        self.words = C.create_string_buffer(500)
        lib.peer_lend.restype = lib.peer_take.restype = lib.peer_data.restype = C.c_void_p
        lib.peer_lend.argtypes = [C.c_char_p, C.c_int, C.c_int, C.c_int, C.c_char_p, C.c_size_t]
        lib.peer_take.argtypes = [C.c_void_p, C.c_int, C.c_char_p, C.c_size_t]
        lib.peer_data.argtypes = lib.peer_drop.argtypes = [C.c_void_p]
        lib.peer_save.argtypes = [C.c_void_p, C.c_char_p, C.c_char_p, C.c_size_t]
        lib.peer_used.restype = C.c_int64

    def checked(self, result):
        assert result, self.words.value.decode()
        return result

    def lend(self, dtype, view, versioned, copy=False):
        return self.checked(self.lib.peer_lend(dtype.encode(), view, versioned, copy, self.words, 500))

    def take(self, address, versioned):
        return self.checked(self.lib.peer_take(address, versioned, self.words, 500))

    def values(self, x, path):
        self.checked(self.lib.peer_save(x, path.encode(), self.words, 500))
        return np.load(path)


class Producer:
    """What np.from_dlpack asks for an array."""

    def __init__(self, address, versioned):
        self.address, self.versioned = address, versioned

    def __dlpack__(self, **ignored):
        return python.PyCapsule_New(self.address, NAMES[self.versioned], None)

    def __dlpack_device__(self):
        return (1, 0)


def to_numpy(peer, dtype, view, versioned, copy):
    whole = np.arange(24).astype(np.float64).reshape(2, 3, 4).astype(dtype)
    want = whole[0:2, 1, 3::-2].T if view else whole
    before = peer.lib.peer_used()
    address = peer.lend(dtype, view, versioned, copy)
    watched = Watched(address, versioned)
    flags = watched.struct.flags if versioned else None
    x = np.from_dlpack(Producer(address, versioned))
    assert x.dtype == want.dtype and np.array_equal(x, want), (dtype, view, x)
    assert x.ctypes.data == watched.struct.tensor.data + watched.struct.tensor.offset, "NumPy copied"
    if versioned:
        assert flags == (COPIED if copy else READ_ONLY), flags
        assert x.flags.writeable == copy, (copy, x.flags)
        if copy:
            x[...] = 0  # it is the consumer's own
    part = x[:1]
    del x
    gc.collect()
    assert watched.calls == 0, "the deleter came too early"
    assert copy or np.array_equal(part, want[:1])
    del part
    gc.collect()
    assert watched.calls == 1, f"{watched.calls} calls of the deleter"
    assert peer.lib.peer_used() == before, "memory was kept"


def layouts(dtype):
    x = np.arange(60).astype(np.float64).reshape(3, 4, 5).astype(dtype)
    return [x, x.T, np.asfortranarray(x), x[::-1, 1:, ::2], x[1, 2, 3:4].reshape(()), x[:0], x[:, :1, ::-1],
            np.broadcast_to(x[:, :1], (3, 4, 5)).copy()]


def from_numpy(peer, x, versioned, path):
    keywords = {"max_version": (1, 0)} if versioned else {}
    before = sys.getrefcount(x)
    capsule = x.__dlpack__(**keywords)
    address = python.PyCapsule_GetPointer(capsule, NAMES[versioned])
    watched = Watched(address, versioned)
    array = peer.take(address, versioned)
    assert python.PyCapsule_SetName(capsule, USED[versioned]) == 0
    del capsule
    gc.collect()
    if x.size > 0:  # no elements need no memory
        assert watched.calls == 0 and sys.getrefcount(x) > before
    if x.size > 0 and x.flags.c_contiguous:
        assert peer.lib.peer_data(array) == x.ctypes.data, "sinter copied"
        if x.flags.writeable:
            kept = x.copy()
            x[...] = x + x.dtype.type(1)  # the same memory
            assert np.array_equal(peer.values(array, path), x)
            x[...] = kept
    got = peer.values(array, path)
    assert got.dtype == x.dtype and got.shape == x.shape and np.array_equal(got, x), (x.dtype, x.shape, got)
    peer.lib.peer_drop(array)
    assert watched.calls == 1, f"{watched.calls} calls of the deleter"
    gc.collect()
    assert sys.getrefcount(x) == before


def main():
    peer = Peer(sys.argv[1])
    done = 0
    ways = [False, True] if VERSIONED else [False]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.npy")
        for dtype in TYPES:
            for versioned in ways:
                for view in [False, True]:
                    for copy in [False, True]:
                        to_numpy(peer, dtype, view, versioned, copy)
                        done += 1
                for x in layouts(dtype):
                    from_numpy(peer, x, versioned, path)
                    done += 1
        if VERSIONED:
            fixed = np.arange(6.0)
            fixed.flags.writeable = False
            from_numpy(peer, fixed, True, path)
    print(f"{done} exchanges, NumPy {np.__version__}, {'both forms' if VERSIONED else 'the unversioned form'}")


main()
