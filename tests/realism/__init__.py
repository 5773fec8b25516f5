"""Documented facts about the real release that `dataclaw-18` stands for, held against a noisy database of ours."""
