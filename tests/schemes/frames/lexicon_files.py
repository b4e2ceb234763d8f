"""Generated releases of lexica in the formats of FrameNet and VerbNet."""

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

NAMESPACE = 'xmlns="http://framenet.icsi.berkeley.edu"'
DEFINITION = (
    "<def-root>A <fen>Seller</fen> hands over <fen>Goods</fen> &amp; is paid.\n\n"
    '<ex><fex name="Sel">Our neighbour</fex> <t>sold</t> <fex name="goo">the <em>old</em> car'
    "</fex>.</ex></def-root>"
)


def frame_xml(
    name: str,
    *,
    elements: Sequence[tuple[str, str]] = (("Seller", "Core"), ("Goods", "Core")),
    units: Sequence[str] = ("sell.v",),
    relations: Sequence[tuple[str, str]] = (),
    definition: str = DEFINITION,
) -> str:
    """Return a frame file. Relations are pairs of a type and another frame's name."""
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<?xml-stylesheet type="text/xsl" href="frame.xsl"?>',
        f'<frame cBy="x" name={quoteattr(name)} ID="1" {NAMESPACE}>',
        f"<definition>{escape(definition)}</definition>",
        *(
            f'<FE bgColor="FF0000" coreType="{core}" abbrev="{element[:3]}" '
            f'name={quoteattr(element)} ID="{at}"><definition>{escape(f"The {element}.")}'
            "</definition></FE>"
            for at, (element, core) in enumerate(elements)
        ),
        *(
            f'<frameRelation type="{kind}"><relatedFrame ID="2">{other}</relatedFrame>'
            "</frameRelation>"
            for kind, other in relations
        ),
        *(
            f'<lexUnit status="Created" POS="{unit[-1].upper()}" name={quoteattr(unit)} ID="{at}">'
            "<definition>COD: a sense</definition></lexUnit>"
            for at, unit in enumerate(units)
        ),
        "</frame>",
    ]
    return "\n".join(lines)


def relations_xml(relations: Sequence[tuple[str, str, str]]) -> str:
    """Return `frRelation.xml` of triples (type, parent, child)."""
    groups = "\n".join(
        f'<frameRelationType ID="1" superFrameName="Parent" subFrameName="Child" name="{kind}">'
        f'<frameRelation ID="1" superFrameName="{parent}" subFrameName="{child}">'
        '<FERelation ID="1" superFEName="A" subFEName="B"/></frameRelation></frameRelationType>'
        for kind, parent, child in relations
    )
    return f'<?xml version="1.0"?>\n<frameRelations {NAMESPACE}>\n{groups}\n</frameRelations>'


VERBNET = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE VNCLASS SYSTEM "vn_class-3.dtd">
<VNCLASS ID="give-13.1" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
  <MEMBERS><MEMBER name="lend" wn="lend%2:40:00" grouping="lend.02"/></MEMBERS>
  <THEMROLES>
    <THEMROLE type="Agent"><SELRESTRS/></THEMROLE>
    <THEMROLE type="Theme"><SELRESTRS/></THEMROLE>
    <THEMROLE type="Recipient"><SELRESTRS/></THEMROLE>
  </THEMROLES>
  <FRAMES/>
  <SUBCLASSES>
    <VNSUBCLASS ID="give-13.1-1">
      <MEMBERS><MEMBER name="sell"/><MEMBER name="pass_on"/></MEMBERS>
      <THEMROLES><THEMROLE type="Asset"/><THEMROLE type="Barterer"/></THEMROLES>
      <FRAMES/>
      <SUBCLASSES>
        <VNSUBCLASS ID="give-13.1-1-1">
          <MEMBERS><MEMBER name="sell"/></MEMBERS><THEMROLES/><FRAMES/><SUBCLASSES/>
        </VNSUBCLASS>
      </SUBCLASSES>
    </VNSUBCLASS>
  </SUBCLASSES>
</VNCLASS>
"""


def write_folder(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def write_zip(path: Path, files: Mapping[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def large_release(frames: int, units: int) -> dict[str, str]:
    """Return the files of a release with as many frames and lexical units as FrameNet has."""
    text = DEFINITION.replace("hands over", "hands over, in some way or other, " * 8)
    per_frame = -(-units // frames)
    elements = [(f"Element_{at}", "Core" if at < 3 else "Peripheral") for at in range(9)]
    files = {}
    for at in range(frames):
        count = min(per_frame, units - at * per_frame)
        files[f"fndata-1.7/frame/Frame_{at}.xml"] = frame_xml(
            f"Frame_{at}",
            elements=[("Seller", "Core"), ("Goods", "Core"), *elements],
            units=[f"verb {at} {number}.v" for number in range(max(0, count))],
            relations=[("Inherits from", f"Frame_{at // 2}")] if at else [],
            definition=text,
        )
    children = range(1, frames)
    files["fndata-1.7/frRelation.xml"] = relations_xml(
        [("Using", f"Frame_{at // 3}", f"Frame_{at}") for at in children]
    )
    return files
