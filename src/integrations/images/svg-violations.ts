import { DOMParser, onErrorStopParsing, type Element } from '@xmldom/xmldom';
import {
  hasOnlyInternalReferences,
  allowedSvgAttributes,
  svgDepthMax,
  allowedSvgElements,
  svgElementsMax,
} from '../../rules/products/svg-allowlist.ts';

const svgNamespace = 'http://www.w3.org/2000/svg';
const namespaces = new Set([svgNamespace, 'http://www.w3.org/1999/xlink', 'http://www.w3.org/XML/1998/namespace']);
/** One cause often repeats, so more violations would not help. */
const violationsMax = 10;

/** Without a `>` inside, it also ends at the same place for an HTML parser. */
const xmlDeclaration = /^\ufeff?<\?xml\s[^<>]*\?>/;

/** Lists everything in an SVG that is not a static picture, with its position. An empty list means that it is safe. */
export function svgViolations(bytes: Uint8Array): string[] {
  const text = decodeText(bytes);
  if (text === undefined) return ['It is not UTF-8 text.'];
  // Entities must be rejected before parsing, because the parser expands them.
  if (/<!(DOCTYPE|ENTITY)/i.test(text)) return ['It has a DOCTYPE or entities. Save it without them.'];
  if (text.replace(xmlDeclaration, '').includes('<?')) return ['It has processing instructions. Save it without them.'];
  // An HTML parser ends these earlier than an XML parser, so a page that inlines the image would run what they contain.
  if (text.includes('<!')) return ['It has comments or CDATA sections. Save it without them.'];
  const root = parseRoot(text);
  if (typeof root === 'string') return [root];
  if (root.namespaceURI !== svgNamespace || root.localName !== 'svg')
    return [`Its root is <${toPrintable(root.nodeName)}>, not <svg xmlns="${svgNamespace}">.`];
  const violations = new Set<string>();
  let elements = 0;
  const waiting = [{ element: root, depth: 1 }];
  for (let next = waiting.pop(); next && violations.size < violationsMax; next = waiting.pop()) {
    elements += 1;
    if (elements > svgElementsMax) return [`It has more than ${svgElementsMax} elements.`];
    if (next.depth > svgDepthMax) return [`Its elements are more than ${svgDepthMax} deep.`];
    for (const violation of elementViolations(next.element)) violations.add(violation);
    for (const child of next.element.childNodes)
      if (child.nodeType === child.ELEMENT_NODE) waiting.push({ element: child as Element, depth: next.depth + 1 });
  }
  return [...violations];
}

function decodeText(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const encoding = /^<\?xml\s[^>]*encoding\s*=\s*["']([^"']*)/i.exec(text)?.[1] ?? 'utf-8';
    return /^(utf-?8|us-ascii)$/i.test(encoding) ? text : undefined;
  } catch {
    return undefined;
  }
}

function parseRoot(text: string): Element | string {
  try {
    const document = new DOMParser({ onError: onErrorStopParsing }).parseFromString(text, 'text/xml');
    return document.documentElement ?? 'It has no root element.';
  } catch (error) {
    return `It is not well-formed XML: ${toPrintable((error as Error).message.split('\n')[0] ?? '')}`;
  }
}

function elementViolations(element: Element): string[] {
  const name = toPrintable(element.nodeName);
  const at = element.lineNumber === undefined ? '' : ` (line ${element.lineNumber})`;
  if (element.namespaceURI !== svgNamespace || !allowedSvgElements.has(element.nodeName))
    return [`The element <${name}> is not allowed${at}: a logo may contain only shapes, gradients and text.`];
  return [...element.attributes].flatMap(({ name: attribute, value }) => {
    if (attribute === 'style') return [`<${name}> has a style${at}: write it as attributes, such as fill="#123".`];
    if (/^on/i.test(attribute)) return [`<${name}> has the event handler ${toPrintable(attribute)}${at}.`];
    if (/href$/i.test(attribute)) return [`<${name}> has a link${at}: a logo must not load other files.`];
    const declares = attribute === 'xmlns' || attribute.startsWith('xmlns:');
    if (declares ? !namespaces.has(value) : !allowedSvgAttributes.has(attribute))
      return [
        `<${name}> has the attribute ${toPrintable(attribute)}${at}, which is not allowed: save it as plain SVG.`,
      ];
    if (!declares && !hasOnlyInternalReferences(value))
      return [`The attribute ${toPrintable(attribute)} of <${name}> references an external resource${at}.`];
    return [];
  });
}

const toPrintable = (text: string): string => text.replaceAll(/[^\P{C}]/gu, '\ufffd').slice(0, 100);
