import { DOMParser } from '@xmldom/xmldom';
import { expect, it } from 'vitest';
import { svgViolations } from '../../../src/integrations/images/svg-violations.ts';

const svg = (inside: string, attributes = ''): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"${attributes}>${inside}</svg>`;
const violations = (text: string | Uint8Array): string[] => svgViolations(Buffer.from(text));

it.each([
  svg('<path d="M0 0L10 10" fill="#123456"/>'),
  `<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n${svg('<circle r="4"/>')}`,
  svg(
    '<defs><linearGradient id="a"><stop offset="0" stop-color="red"/></linearGradient></defs><rect fill="url(#a)" width="4" height="4"/>',
  ),
  svg(
    '<clipPath id="c"><rect width="1" height="1"/></clipPath><g clip-path="url(\'#c\')"><text x="1">Hi &amp; ho</text></g>',
  ),
  svg('<title>Ünïcode ✓</title>', ' xmlns:xlink="http://www.w3.org/1999/xlink" version="1.1" xml:space="preserve"'),
])('accepts a static picture, %#', (text) => {
  expect(violations(text)).toEqual([]);
});

it.each([
  ['a script', svg('<script>alert(1)</script>'), '<script> is not allowed'],
  ['a script of another case', svg('<SCRIPT>alert(1)</SCRIPT>'), '<SCRIPT> is not allowed'],
  ['a script with a prefix', svg('<s:script xmlns:s="http://www.w3.org/2000/svg">1</s:script>'), '<s:script>'],
  ['HTML', svg('<foreignObject><div xmlns="http://www.w3.org/1999/xhtml"/></foreignObject>'), '<foreignObject>'],
  ['HTML by its namespace', svg('<h:img xmlns:h="http://www.w3.org/1999/xhtml" src="x" onerror="1"/>'), '<h:img>'],
  ['a link', svg('<a href="https://example.com"><path d="M0 0"/></a>'), '<a> is not allowed'],
  ['an image', svg('<image href="data:image/png;base64,AA"/>'), '<image> is not allowed'],
  ['a reuse, which can multiply', svg('<g id="a"/><use href="#a"/>'), '<use> is not allowed'],
  ['a style sheet', svg('<style>@import "x"</style>'), '<style> is not allowed'],
  ['a style', svg('<path style="fill:url(http://x)"/>'), 'has a style'],
  ['an animation', svg('<path><animate attributeName="href" to="javascript:1"/></path>'), '<animate>'],
  ['a set', svg('<path><set attributeName="onclick" to="1"/></path>'), '<set> is not allowed'],
  ['a filter', svg('<filter><feImage href="http://x"/></filter>'), '<filter> is not allowed'],
  ['an event handler', svg('<path onclick="1"/>'), 'event handler onclick'],
  ['an event handler of its root', svg('', ' onload="1"'), 'event handler onload'],
  ['an event handler with a prefix', svg('<path xml:onload="1"/>'), 'xml:onload'],
  ['a reference', svg('<linearGradient xlink:href="http://x" xmlns:xlink="http://www.w3.org/1999/xlink"/>'), 'a link'],
  ['a reference in a fill', svg('<path fill="url(http://x/#a)"/>'), 'external resource'],
  ['a reference in a mask', svg('<path mask="URL( //x )"/>'), 'external resource'],
  ['a reference after an allowed one', svg('<path fill="url(#a) url(http://x)"/>'), 'external resource'],
  ['a reference in escapes', svg('<path fill="\\75rl(http://x)"/>'), 'external resource'],
  ['a reference in character references', svg('<path fill="&#117;rl(http://x)"/>'), 'external resource'],
  ['a base', svg('', ' xml:base="http://x/"'), 'xml:base'],
  ['an unknown namespace', svg('', ' xmlns:x="http://x/"'), 'xmlns:x'],
  ['a DOCTYPE', `<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x.dtd">${svg('')}`, 'DOCTYPE'],
  ['entities', `<!DOCTYPE svg [<!ENTITY a "aa">]>${svg('<text>&a;</text>')}`, 'DOCTYPE'],
  ['an unknown entity', svg('<text>&nbsp;</text>'), 'well-formed'],
  ['a style sheet instruction', `<?xml-stylesheet href="x.css"?>${svg('')}`, 'processing instructions'],
  ['an instruction within', svg('<?php 1 ?>'), 'processing instructions'],
  [
    'a declaration that an HTML parser ends earlier',
    `<?xml version="1.0" a="><img src=x onerror=1>"?>${svg('')}`,
    'instr',
  ],
  ['a comment', `<!-- made by hand -->${svg('')}`, 'comments or CDATA'],
  ['a comment that an HTML parser ends earlier', svg('<!--><img src=x onerror=alert(1)>-->'), 'comments or CDATA'],
  ['a comment with another early end', svg('<!--a--!><script>alert(1)</script>-->'), 'comments or CDATA'],
  ['a comment after its end', `${svg('')}<!--><script>alert(1)</script>-->`, 'comments or CDATA'],
  ['a CDATA section', svg('<text><![CDATA[<img src=x onerror=alert(1)>]]></text>'), 'comments or CDATA'],
  [
    'a CDATA section in a title, which an HTML parser reads as HTML',
    svg('<title><![CDATA[</title></svg><script>alert(1)</script>]]></title>'),
    'comments or CDATA',
  ],
  ['two roots', `${svg('')}<script/>`, 'well-formed'],
  ['an unclosed element', svg('<g>').replace('</svg>', ''), 'well-formed'],
  ['no namespace', '<svg><path d="M0 0"/></svg>', 'Its root is <svg>'],
  ['an HTML document', '<html xmlns="http://www.w3.org/1999/xhtml"/>', 'Its root is <html>'],
  ['white space', '   ', 'well-formed'],
  ['plain text', 'Hello', 'well-formed'],
  ['another encoding', `<?xml version="1.0" encoding="UTF-7"?>${svg('')}`, 'UTF-8'],
])('rejects %s with its cause', (_, text, words) => {
  const found = violations(text);
  expect(found.length).toBeGreaterThan(0);
  expect(found.join(' ')).toContain(words);
});

it('rejects bytes that are not UTF-8, including UTF-16', () => {
  expect(violations(Buffer.from(`\ufeff${svg('<script/>')}`, 'utf16le'))).toEqual(['It is not UTF-8 text.']);
  expect(violations(new Uint8Array([0x3c, 0xff]))).toEqual(['It is not UTF-8 text.']);
});

it('rejects an image that is expensive to render, with little work', () => {
  const before = process.threadCpuUsage();
  expect(violations(svg('<g/>'.repeat(6_000)))).toEqual(['It has more than 5000 elements.']);
  expect(violations(svg('<g>'.repeat(60) + '</g>'.repeat(60)))).toEqual(['Its elements are more than 50 deep.']);
  violations(svg('<g>'.repeat(70_000)));
  violations(svg(`<path ${Array.from({ length: 20_000 }, (__, at) => `a${at}="1"`).join(' ')}/>`));
  // CPU time, because a busy machine makes anything take long.
  expect(process.threadCpuUsage(before).user).toBeLessThan(5_000_000);
});

it('describes tricks that pass every other check, and run once a page inlines the image', () => {
  for (const trick of [
    '<!--><img src=x onerror=alert(1)>-->',
    '<text><![CDATA[<img src=x onerror=alert(1)>]]></text>',
  ]) {
    const elements = new DOMParser().parseFromString(svg(trick), 'text/xml').getElementsByTagName('*');
    expect([...elements].map(({ nodeName }) => nodeName)).not.toContain('img');
    expect(violations(svg(trick))).toHaveLength(1);
  }
});
