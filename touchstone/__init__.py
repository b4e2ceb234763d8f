"""The installed package: its entry point, where its parts are, and how its commands are called.

In a checkout, the site's packages stand beside this one. In a wheel, they are in the folder `_site`
of this package, because names such as `config` would collide with other packages (ADR 51).
"""
