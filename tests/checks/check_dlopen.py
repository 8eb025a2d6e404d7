"""libsched.so loads by dlopen into a process that was not built for it, and answers.

This fails, for instance, when a library with static TLS (Debian's jemalloc) creeps into its
dependencies.

usage: check_dlopen.py LIBRARY VERSION
"""
import ctypes
import sys

library = ctypes.CDLL(sys.argv[1])
library.lsched_version.restype = ctypes.c_char_p
found = library.lsched_version().decode()
print(f"loaded, version {found}")
if found != sys.argv[2]:
    sys.exit(f"expected version {sys.argv[2]}, as CMakeLists.txt says, found {found}")
