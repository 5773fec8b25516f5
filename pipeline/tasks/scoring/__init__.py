"""Scores answers that somebody gave: reads each as its guideline asks for it, and compares it with gold.

    reading.py   a value or a list as it was given, without knowing what is right
    matching.py  whether an answer is right, and why
    files.py     the file of answers, and the tasks of a set with gold

Nothing here counts: accuracies and their intervals are in `validation/tasks/scores.py`. No answer is ever run as code.
"""
