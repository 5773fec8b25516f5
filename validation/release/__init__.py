"""Evidence about a release, from its public files alone: verifying it, building it again, comparing two.

    opened      the files of a release as they lie, and its tables; nothing in them is trusted, and nothing is run
    checks/     functions from a release to what is wrong in it, one module a family
    verifying   all checks in order, and what they came to
    diff/       two releases: what differs, and what somebody learns who has both
    rebuilt     a release and what was built again from its inputs

What a release is, and how it is made, belongs to `pipeline/release`.
"""
