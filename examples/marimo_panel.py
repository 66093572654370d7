"""Panels in marimo, bare and as an element of its interface: `marimo edit examples/marimo_panel.py`."""

import marimo

app = marimo.App(width="full")


@app.cell
def _():
    from ldp_lib.live import panel

    panel("elbow?scene=lever")
    return (panel,)


@app.cell
def _(panel):
    import marimo as mo

    mo.ui.anywidget(panel("consistency?scene=explore&alpha=0.5"))
    return


if __name__ == "__main__":
    app.run()
