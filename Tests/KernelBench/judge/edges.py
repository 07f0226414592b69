"""Which lines were written in one call, from the kernel's trace of writes."""

ONE_CALL = 3_000
"""The lines of one call are traced within this many nanoseconds of each other."""


def calls(writes):
    """Groups writes made in one call: the same task, each line at most once, at almost the same time."""
    groups = []
    for write in writes:
        group = groups[-1] if groups else None
        if (
            group
            and group[0].task == write.task
            and write.instant - group[0].instant <= ONE_CALL
            and all(write.line != other.line for other in group)
        ):
            group.append(write)
        else:
            groups.append([write])
    return groups
