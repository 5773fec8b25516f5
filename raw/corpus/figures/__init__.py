"""Figures of the generated corpus: the panel of firms, macro series, aggregates, outliers."""
