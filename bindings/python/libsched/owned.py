"""An object of the library that this object owns: it is destroyed by close(), at the end of a `with` block, or with
the last reference."""
from .library import lib


class Owned:
    _destroy = ""  # the function of the library that destroys the object
    _what = ""     # what the object is, in messages

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        self.close()

    def close(self):
        handle, self._handle = getattr(self, "_handle", None), None
        if handle:
            getattr(lib, self._destroy)(handle)

    @property
    def handle(self):
        if not self._handle:
            raise ValueError(f"the {self._what} is closed")
        return self._handle
