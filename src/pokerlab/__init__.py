"""pokerlab: understand, build and field strategies for poker and other games of hidden information."""
