"""Card abstractions of hold'em: hands grouped into buckets, street by street."""
