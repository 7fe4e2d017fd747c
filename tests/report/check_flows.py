#!/usr/bin/env python3
"""Uses the markers and flows of a page of `uimon report --html` as a person would, in headless
Chromium: with the mouse, with the keyboard alone, and through the accessibility tree, as a screen
reader does. Light and dark, narrow and at 200 %.

    check_flows.py PAGE FLOWS.json [PICTURE.png]
    check_flows.py --contexts OUTER INNER PAGE FLOWS.json [PICTURE.png]

FLOWS.json is what `uimon flows --json` says of the same recording. It has a freeze that holds up
keys. With --contexts it has a marker named OUTER with one named INNER within it, both in flows of
their own, and what is looked at are the arrows between them. Says one line and exits 0, or says
what is wrong and exits 1."""

import base64
import json
import os
import sys

from browser import DARK_200, DARK_NARROW, LIGHT, equal, expect, tab_to, wait_until, with_page

def name_of(flow):
    return flow['id'] + ';' + ('%.6f' % flow['start_ms']).rstrip('0').rstrip('.')


class Flows:
    """What uimon says of the recording."""

    def __init__(self, path):
        with open(path, encoding='utf-8') as file:
            self.list = json.load(file)['flows']
        self.by_name = {name_of(flow): flow for flow in self.list}
        self.markers = {marker['marker']: marker for flow in self.list
                        for marker in flow['markers']}

    def find_freeze(self):
        self.freeze = next(flow for flow in self.list
                           if flow['markers'][0]['name'] == 'Frozen' and len(flow['markers']) > 2)
        keys = [self.by_name[name_of(one)] for one in self.freeze['connected']
                if self.first(one) == 'Key arrived']
        self.key = max(keys, key=lambda key: len(key['markers']))  # one that was painted

    def first(self, reference):
        return self.by_name[name_of(reference)]['markers'][0]['name']

    def rows(self, flow):
        """The rows of a flow's panel: of each what it is, its first marker and its name."""
        rows = []
        for kin in ('incoming', 'current', 'connected', 'outgoing'):
            for one in [flow] if kin == 'current' else flow[kin]:
                rows.append(kin + ' ' + self.first(one) + ' ' + name_of(one))
        return rows


def panel_rows(browser):
    return browser.ask('''[...document.querySelectorAll('#flow-rows li')].map((row) =>
        row.querySelector('.kin').textContent + ' ' + row.querySelector('.enter').textContent)''')


def find_on(browser, canvas, wanted, heights=None):
    """Where on the canvas the mouse finds a marker: looked for by events of the page's own, because
    the browser takes a move of the mouse each 16 ms, and then shown to the mouse."""
    left, top, width, height = browser.box(canvas)
    heights = heights or range(int(top) + 4, int(top + height), 9)
    found = browser.ask('''(() => { const [name, canvas, left, right, heights] = %s;
        for (const clientY of heights)
          for (let clientX = left; clientX < right; clientX += 1) {
            document.querySelector(canvas).dispatchEvent(
                new PointerEvent('pointermove', {clientX, clientY, bubbles: true}));
            if (document.getElementById('marker-tip').innerText.startsWith(name + '\\n'))
              return [clientX, clientY];
          }
        return null; })()''' % json.dumps([wanted, canvas, int(left) + 40, int(left + width) - 5,
                                           list(heights)]))
    expect('there is no ' + wanted + ' on ' + canvas, found)
    browser.mouse('mouseMoved', *found)
    expect('the mouse finds ' + wanted, browser.text('#marker-tip').startswith(wanted + '\n'))
    return found


def by_mouse(browser, flows, picture):
    freeze = flows.freeze
    equal('markers that are told', browser.text('#markers-note').split(' in ')[0].replace(',', ''),
          '%d markers' % len(flows.markers))
    x, y = find_on(browser, '#chart', 'Frozen')
    tip = browser.text('#marker-tip')
    expect('the tooltip has the flow: ' + tip, name_of(freeze) in tip)
    expect('a tooltip has no buttons yet',
           browser.ask('!document.querySelector("#marker-tip button")'))
    browser.click(x, y)
    equal('rows of the freeze', panel_rows(browser), flows.rows(freeze))
    names = [marker['name'] for marker in freeze['markers']]
    expect('the first has none before it', browser.ask(
        'document.querySelector("#marker-tip button").disabled'))
    browser.click_on('#marker-tip button:nth-of-type(2)')
    expect('the next marker is ' + names[1], browser.text('#marker-tip').startswith(names[1] + '\n'))
    expect('and says which', freeze['markers'][1]['marker'] in browser.text('#marker-tip'))
    place = browser.ask('''[...document.querySelectorAll('#marker-tip [data-act^=previous]')].find(
        (one) => one.ariaLabel.includes(%s)).dataset.act''' % json.dumps(name_of(freeze)))
    browser.click_on('#marker-tip [data-act=%s]' % place)
    expect('the one before is the first', browser.text('#marker-tip').startswith('Frozen\n'))
    browser.click_on('#marker-tip [data-act^=all]')
    expect('View all searches for the flow', browser.ask('document.getElementById('
           '"markers-search").value').startswith('flow:' + freeze['id'] + ';'))
    equal('what it finds', browser.text('#markers-found').split(' of ')[0], str(len(names)))
    browser.press('Escape')
    find_on(browser, '#flow-lanes', 'Key taken')
    if picture:
        with open(picture, 'wb') as file:
            file.write(base64.b64decode(browser.call('Page.captureScreenshot')['data']))
    browser.click_on('#flow-rows li:nth-child(%d) .enter' % (
        flows.rows(freeze).index('connected Key arrived ' + name_of(flows.key)) + 1))
    equal('rows of the key', panel_rows(browser), flows.rows(flows.key))


def by_search(browser, flows):
    wanted = sum('painted' in marker['name'] for marker in flows.markers.values())
    some = flows.key['start_ms'] + 0.4 * (flows.key['end_ms'] - flows.key['start_ms'])
    of_key = '%d of ' % len(flows.key['markers'])
    for text, says in [('PAINTED', '%d of ' % wanted),
                       ('flow:%s;%.1f' % (flows.key['id'], some), of_key),
                       ('flow:' + flows.key['id'].lstrip('0').upper(), of_key),
                       ('flow:%s;999999999' % flows.key['id'], 'none lasts at that time; there is ' +
                        name_of(flows.key)),
                       ('flow:none', 'no marker mentions such a flow'),
                       ('flow:none;x', 'what follows the semicolon is no time in ms'),
                       ('<nothing>', '0 of ')]:
        browser.ask('document.getElementById("markers-search").select()')
        browser.click_on('#markers-search')
        browser.ask('document.getElementById("markers-search").select()')
        browser.type(text)
        found = browser.text('#markers-found')
        expect('a search for %s says "%s"' % (text, found), found.startswith(says))
    browser.click_on('#markers-clear')
    equal('after the search', browser.text('#markers-found'), '')


def by_keys(browser, flows):
    freeze, key = flows.freeze, flows.key
    tab_to(browser, 'chart')
    for _ in range(100):
        browser.press('ArrowRight')
        if browser.text('#markers-says').startswith('Frozen,'):
            break
    expect('the arrow keys find the freeze', browser.text('#markers-says').startswith('Frozen,'))
    browser.press('Enter')
    equal('Enter enters it', panel_rows(browser), flows.rows(freeze))
    equal('and goes to its buttons', browser.focused(), 'Next in flow ' + name_of(freeze))
    browser.press('Enter')
    expect('Enter on Next', freeze['markers'][1]['marker'] in browser.text('#marker-tip'))
    equal('keeps the focus', browser.focused(), 'Next in flow ' + name_of(freeze))
    browser.press('Escape')
    equal('Escape leaves', browser.focused(), 'chart')
    expect('and closes the tooltip', browser.ask('document.getElementById("marker-tip").hidden'))
    browser.press('ArrowRight')
    browser.press('ArrowDown')
    expect('down goes to the next thread', 'heartbeat' in browser.text('#markers-says'))
    browser.press('Escape')
    tab_to(browser, 'Current flow Frozen, ' + name_of(freeze))
    browser.press('p')
    equal('P pins the row', panel_rows(browser)[-1], 'pinned Frozen ' + name_of(freeze))
    browser.press('ArrowDown', flows.rows(freeze).index('connected Key arrived ' + name_of(key)))
    equal('down goes to its row', browser.focused(), 'Enter connected flow Key arrived, ' +
          name_of(key))
    browser.press('ArrowRight', 3)
    expect('right goes along its markers', key['markers'][2]['marker'] in
           browser.text('#marker-tip'))
    browser.press('Enter')
    equal('Enter enters the key', panel_rows(browser),
          flows.rows(key) + ['pinned Frozen ' + name_of(freeze)])
    equal('and stays there', browser.focused(), 'Current flow Key arrived, ' + name_of(key))


def nodes_below(nodes, root):
    for child in root.get('childIds', []):
        node = nodes[child]
        if not node.get('ignored'):
            yield node
        yield from nodes_below(nodes, node)


def of(node, what):
    return node.get(what, {}).get('value', '')


def by_table(browser, flows):
    """Continues where by_keys ends: at a key's flow, with the freeze pinned."""
    key, freeze = flows.key, flows.freeze
    for summary in ('Flows as a table', 'Markers as a table'):
        browser.ask('document.activeElement.blur()')
        tab_to(browser, summary)
        browser.press('Enter')
    tree, tables = [], []

    def has_tables():
        tree[:] = browser.call('Accessibility.getFullAXTree')['nodes']
        tables[:] = [node for node in tree if of(node, 'role') == 'table']
        return {'Flows around the current one', 'Markers'} <= {of(node, 'name') for node in tables}

    wait_until('there are tables of flows and of markers', has_tables)
    nodes = {node['nodeId']: node for node in tree}
    found = [node for node in tables if of(node, 'name') == 'Flows around the current one']
    equal('tables of flows', len(found), 1)
    inner = list(nodes_below(nodes, found[0]))
    headers = [of(node, 'name') for node in inner if of(node, 'role') == 'columnheader']
    equal('its columns', headers[:7],
          ['is', 'flow', 'begins', 'ends', 'markers', 'threads', 'pinned'])
    buttons = [of(node, 'name') for node in inner if of(node, 'role') == 'button']
    expect('no button is without a name', all(buttons))
    for wanted in ('Current flow Key arrived, ' + name_of(key),
                   'Enter connected flow Frozen, ' + name_of(freeze),
                   'Enter pinned flow Frozen, ' + name_of(freeze),
                   'Pin flow ' + name_of(freeze), 'Markers of flow ' + name_of(freeze),
                   'Next in flow ' + name_of(key), 'View all of flow ' + name_of(freeze)):
        expect('the table has a button "%s": %s' % (wanted, buttons), wanted in buttons)
    equal('markers in it', [of(node, 'name') for node in inner
                            if of(node, 'role') == 'rowheader' and ';' not in of(node, 'name')],
          [marker['marker'] for marker in key['markers']])
    names = [of(node, 'name') for node in tables]
    expect('a table of markers', 'Markers' in names and 'Markers of flow ' + name_of(key) in names)
    pressed = [node for node in inner if of(node, 'role') == 'button' and
               of(node, 'name') == 'Pin flow ' + name_of(freeze)]
    expect('a pinned row says so', all(
        {one['name']: one['value'].get('value') for one in node['properties']}.get('pressed') == 'true'
        for node in pressed))
    regions = [of(node, 'name') for node in tree if of(node, 'role') == 'region']
    expect('the panel is a region', 'Flow' in regions)
    # Next and Enter, without mouse and picture.
    next_act = browser.ask('''document.querySelector(
        '#flow-table tr[data-marker] [data-act^=next]').dataset.act''')
    browser.ask('document.querySelector("#flow-table [data-act=%s]").focus()' % next_act)
    browser.press('Enter')
    expect('Next in the table', key['markers'][1]['name'] in browser.text('#markers-says'))
    equal('goes to its row', browser.ask('''document.activeElement.closest('tr').querySelector(
        'th').textContent'''), key['markers'][1]['marker'])
    browser.ask('document.querySelector("#flow-table tr[data-flow^=connected] .enter").focus()')
    browser.press('Enter')
    equal('Enter in the table', panel_rows(browser)[:-1], flows.rows(freeze))
    equal('and stays there', browser.focused(), 'Current flow Frozen, ' + name_of(freeze))


def column_of(browser, x, from_y, to_y):
    """The colours of a column of the panel's picture, between two heights in the window."""
    return browser.ask('''(() => { const lanes = document.getElementById('flow-lanes');
        const box = lanes.getBoundingClientRect(), scale = lanes.width / box.width;
        const [x, from, to] = %s;
        return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(
            [...lanes.getContext('2d').getImageData((x - box.left) * scale,
                (from - box.top) * scale, 1, (to - from) * scale).data].join())))); })()''' %
                       json.dumps([x, from_y, to_y]))


def by_context(browser, flows, outer_name, inner_name, picture):
    """An arrow leads from the interval of a marker to the dot of one within it, in the rows of
    their flows. It is there while the mouse is on the dot."""
    outer = next(flow for flow in flows.list if any(
        marker['name'] == outer_name for marker in flow['markers']))
    kinds = flows.rows(outer)
    wanted = [row for row in kinds if row.startswith('outgoing ' + inner_name + ' ')]
    equal('flows of %s within %s' % (inner_name, outer_name), len(wanted), 1)
    browser.open(browser.page, '#flow=' + name_of(outer))
    equal('its rows', panel_rows(browser), kinds)
    left, top, _, _ = browser.box('#flow-lanes')
    rows = [browser.ask('''(() => { const box = document.querySelectorAll('#flow-rows li')[%d]
        .getBoundingClientRect(); return box.top + box.height / 2; })()''' % row)
            for row in (kinds.index('current ' + flows.first(outer) + ' ' + name_of(outer)),
                        kinds.index(wanted[0]))]
    expect('the outgoing row is the lower one', rows[0] + 10 < rows[1])
    x, _ = find_on(browser, '#flow-lanes', inner_name, [rows[1] + off for off in (11, 6, 16, 0)])
    with_arrow = [column_of(browser, x + off, rows[0] + 10, rows[1] - 10) for off in range(-6, 7)]
    if picture:
        with open(picture, 'wb') as file:
            file.write(base64.b64decode(browser.call('Page.captureScreenshot')['data']))
    browser.mouse('mouseMoved', left + 2, top - 20)
    without = [column_of(browser, x + off, rows[0] + 10, rows[1] - 10) for off in range(-6, 7)]
    expect('an arrow comes and goes with the mouse', with_arrow != without)


def main():
    if sys.argv[1] == '--contexts':
        outer, inner, page = sys.argv[2], sys.argv[3], os.path.realpath(sys.argv[4])
        flows = Flows(sys.argv[5])
        with_page(page, LIGHT, by_context, flows, outer, inner,
                  sys.argv[6] if len(sys.argv) > 6 else None)
        print('%s: an arrow from %s to %s' % (os.path.basename(page), outer, inner))
        return
    page, flows = os.path.realpath(sys.argv[1]), Flows(sys.argv[2])
    picture = sys.argv[3] if len(sys.argv) > 3 else None
    flows.find_freeze()

    def mouse(browser, where):
        by_mouse(browser, flows, where)
        by_search(browser, flows)

    def keys(browser):
        by_keys(browser, flows)
        by_table(browser, flows)

    def look(browser, where):
        browser.open(page, '#flow=' + name_of(flows.freeze))
        equal('the address enters a flow', panel_rows(browser), flows.rows(flows.freeze))
        if where:
            with open(where, 'wb') as file:
                file.write(base64.b64decode(browser.call('Page.captureScreenshot')['data']))

    with_page(page, LIGHT, mouse, picture)
    with_page(page, DARK_200, keys)
    with_page(page, DARK_NARROW, look, picture and picture + '.narrow.png')
    print('%s: %d flows by mouse, by keyboard and as a table' % (os.path.basename(page),
                                                                 len(flows.list)))


try:
    main()
except SystemExit as end:
    if end.code:
        print('check_flows.py: %s' % end.code, file=sys.stderr)
        sys.exit(1)
