"""Every state of a panel has an address, such as "consistency/1?alpha=0.5&h=0.2".

It names the panel, the version of its controls, and the controls that do not stand at their defaults. What is
wrong in an address is said in a sentence, and the nearest legal state stands in for it.
"""

import urllib.parse


def write(panel, values):
    """The address of `values`, a dict of positions, of a panel (a class or an instance)."""
    moved = {control.name: values[control.name] for control in panel.controls
             if values[control.name] != control.default}
    return f"{panel.name}/{panel.version}" + (f"?{urllib.parse.urlencode(moved)}" if moved else "")


def split(address):
    """Name of the panel, version and query of an address; the version may be missing."""
    path, _, query = address.partition("?")
    name, _, version = path.partition("/")
    return name, version, query


def read(panel, address):
    """The values that an address of this panel names, a dict, and sentences about what was wrong with it."""
    _, version, query = split(address)
    asked, remarks = dict(urllib.parse.parse_qsl(query, keep_blank_values=True)), []
    if version not in ("", str(panel.version)):
        remarks.append(f"The address is of version {version:.20} of this panel, "
                       f"which is {panel.version} now.")
    controls = {control.name: control for control in panel.controls}
    return settle(panel, {name: _parsed(controls[name], text) if name in controls else text
                          for name, text in asked.items()}, remarks)


def settle(panel, asked, remarks=()):
    """Legal values for what was `asked`, name -> value, and sentences about what was not legal."""
    remarks, values = list(remarks), panel.completed()
    for control in panel.controls:
        if control.name in asked:
            index, remark = control.nearest(asked[control.name])
            values[control.name] = control.values[index]
            remarks += [remark] if remark else []
    unknown = asked.keys() - values.keys()
    if unknown:
        remarks.append(f"There is no control {', '.join(sorted(f'{name:.40}' for name in unknown))}; "
                       f"the controls are {', '.join(values)}.")
    return values, remarks


def _parsed(control, text):
    """The text of an address as a value of the kind that the control has."""
    if control.kind == "choice":
        return text
    if control.kind == "switch":
        return {"True": True, "False": False}.get(text, text)
    try:
        number = float(text)
    except ValueError:
        return text
    # Whole positions stay whole: 10000 and not 10000.0.
    return next((value for value in control.values if value == number), number)
