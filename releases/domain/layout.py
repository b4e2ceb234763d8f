"""What all versions know about the folder of a release."""

README, CROISSANT = "README.md", "croissant.json"
# The version of the folder's layout, which an import checks.
LAYOUT = 1
