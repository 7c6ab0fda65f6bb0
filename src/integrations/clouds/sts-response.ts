import { DOMParser, type Element, onErrorStopParsing } from '@xmldom/xmldom';

/** The elements of a response of STS that the service reads, by their names. */
export type StsResponse = (name: string) => string | undefined;

/** Parses an AWS STS response. Returns undefined for text that is not XML. */
export function parseStsResponse(text: string): StsResponse | undefined {
  // A document type could define entities that expand without end, and STS sends none.
  if (/<!/.test(text)) return undefined;
  let root: Element | null;
  try {
    root = new DOMParser({ onError: onErrorStopParsing }).parseFromString(text, 'text/xml').documentElement;
  } catch {
    return undefined;
  }
  return (name) => root?.getElementsByTagName(name)[0]?.textContent?.trim();
}
