"""Who is named in texts: their normal form, and what is looked for in it."""
