import { type SearchAttributePair, defineSearchAttributeKey } from '@temporalio/common';

const org = defineSearchAttributeKey('org', 'KEYWORD');
const product = defineSearchAttributeKey('product', 'KEYWORD');
const targetKind = defineSearchAttributeKey('targetKind', 'KEYWORD');
const phase = defineSearchAttributeKey('phase', 'KEYWORD');

/** What a workflow can be searched by; kept the same wherever one is started. */
export function searchAttributes(of: { org: string; product?: string; targetKind: string }): SearchAttributePair[] {
  return [
    { key: org, value: of.org },
    { key: targetKind, value: of.targetKind },
    ...(of.product === undefined ? [] : [{ key: product, value: of.product }]),
  ];
}

export const phaseAttribute = (value: string): SearchAttributePair => ({ key: phase, value });
