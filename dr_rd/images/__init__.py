"""Pictures among the analyst's documents: what can be measured of them without a model."""

ENDINGS = (".gif", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp")
"""The endings of the pictures that are looked at."""
DRAWN = (".svg", ".svgz")
"""The endings of drawings, which are named with the reason why they are not looked at."""
NO_DOCUMENT = "is a picture: it is looked at by analyze_image and not quoted"
"""Why a picture is not read as a document."""
SVG = "is SVG, which is a program that draws and not a picture; export it as PNG"
"""Why a drawing is not looked at."""
