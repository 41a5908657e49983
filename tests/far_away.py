"""An executor that shares nothing with its caller, as a cluster would: all is pickled, the last task comes first."""

import pickle


def far_away(function, tasks):
    there = pickle.loads(pickle.dumps(function))
    for task in reversed(tasks):
        yield pickle.loads(pickle.dumps(there(pickle.loads(pickle.dumps(task)))))
