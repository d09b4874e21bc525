"""What plain `xdsl-opt` sees of this package, through the `xdsl.universe` entry point.

Imported at every start of `xdsl-opt`: every value is a thunk that imports when it is called.
"""

from xdsl.universe import Universe

UNIVERSE = Universe(all_dialects={}, all_passes={}, all_targets={}, all_frontends={})
