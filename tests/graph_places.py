"""The places of a betting graph, by a plain walk."""


def places(graph):
    """Every node with a decision, and where its rows begin, once."""
    stack, seen = [(0, 0)], {}
    while stack:
        node, base = stack.pop()
        if graph.states[node].actor is None or (node, base) in seen:
            continue
        seen[node, base] = None
        for a in range(len(graph.actions[node])):
            edge = graph.arrays.first[node] + a
            stack.append((int(graph.arrays.child[edge]), base + int(graph.arrays.skip[edge])))
    return list(seen)
