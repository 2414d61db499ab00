"""Jobs of PSLIB under mpirun: refused by name."""
from paddlerec.core import refused

refused.add(globals(), refused.SUBMISSION + "; its backend MPI runs under mpirun", "LocalMPIEngine")
