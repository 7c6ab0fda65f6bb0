import { DOMParser, onErrorStopParsing, type Element } from '@xmldom/xmldom';
import {
  refersInside,
  svgAttributes,
  svgDepthMax,
  svgElements,
  svgElementsMax,
} from '../../rules/catalog/svg-allowed.ts';

const svgNamespace = 'http://www.w3.org/2000/svg';
const namespaces = new Set([svgNamespace, 'http://www.w3.org/1999/xlink', 'http://www.w3.org/XML/1998/namespace']);
/** Of the same kind there are often many: these are enough to mend all. */
const problemsMax = 10;

/** What keeps an SVG from being a picture and nothing else, in words that say where; none when it is one. */
export function svgProblems(bytes: Uint8Array): string[] {
  const text = textOf(bytes);
  if (text === undefined) return ['It is not a text in UTF-8.'];
  // Before it is parsed: what they mean is decided there.
  if (/<!(DOCTYPE|ENTITY)/i.test(text)) return ['It has a DOCTYPE or entities. Save it without.'];
  if (/<\?(?!xml\s)/i.test(text)) return ['It has processing instructions. Save it without.'];
  const root = rootOf(text);
  if (typeof root === 'string') return [root];
  if (root.namespaceURI !== svgNamespace || root.localName !== 'svg')
    return [`Its root is <${shown(root.nodeName)}>, not <svg xmlns="${svgNamespace}">.`];
  const problems = new Set<string>();
  let elements = 0;
  const waiting = [{ element: root, depth: 1 }];
  for (let next = waiting.pop(); next && problems.size < problemsMax; next = waiting.pop()) {
    elements += 1;
    if (elements > svgElementsMax) return [`It has more than ${svgElementsMax} elements.`];
    if (next.depth > svgDepthMax) return [`Its elements are more than ${svgDepthMax} deep.`];
    for (const problem of problemsOf(next.element)) problems.add(problem);
    for (const child of next.element.childNodes)
      if (child.nodeType === child.ELEMENT_NODE) waiting.push({ element: child as Element, depth: next.depth + 1 });
  }
  return [...problems];
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const encoding = /^<\?xml\s[^>]*encoding\s*=\s*["']([^"']*)/i.exec(text)?.[1] ?? 'utf-8';
    return /^(utf-?8|us-ascii)$/i.test(encoding) ? text : undefined;
  } catch {
    return undefined;
  }
}

function rootOf(text: string): Element | string {
  try {
    const document = new DOMParser({ onError: onErrorStopParsing }).parseFromString(text, 'text/xml');
    return document.documentElement ?? 'It has no root element.';
  } catch (error) {
    return `It is not well-formed XML: ${shown((error as Error).message.split('\n')[0] ?? '')}`;
  }
}

function problemsOf(element: Element): string[] {
  const name = shown(element.nodeName);
  const at = element.lineNumber === undefined ? '' : ` (line ${element.lineNumber})`;
  if (element.namespaceURI !== svgNamespace || !svgElements.has(element.nodeName))
    return [`The element <${name}> is not allowed${at}: a logo is made of shapes, gradients and letters only.`];
  return [...element.attributes].flatMap(({ name: attribute, value }) => {
    if (attribute === 'style') return [`<${name}> has a style${at}: write it as attributes, such as fill="#123".`];
    if (/^on/i.test(attribute)) return [`<${name}> has the event handler ${shown(attribute)}${at}.`];
    if (/href$/i.test(attribute)) return [`<${name}> has a link${at}: a logo holds all that it shows.`];
    const declares = attribute === 'xmlns' || attribute.startsWith('xmlns:');
    if (declares ? !namespaces.has(value) : !svgAttributes.has(attribute))
      return [
        `<${name}> has the attribute ${shown(attribute)}${at}, which a logo has no use for: save it as plain SVG.`,
      ];
    if (!declares && !refersInside(value))
      return [`The attribute ${shown(attribute)} of <${name}> refers to something outside${at}.`];
    return [];
  });
}

const shown = (text: string): string => text.replaceAll(/[^\P{C}]/gu, '\ufffd').slice(0, 100);
