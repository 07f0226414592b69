// to be replaced
