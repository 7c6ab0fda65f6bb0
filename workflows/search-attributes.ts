import { type SearchAttributePair, defineSearchAttributeKey } from '@temporalio/common';

const org = defineSearchAttributeKey('org', 'KEYWORD');
const product = defineSearchAttributeKey('product', 'KEYWORD');
const targetKind = defineSearchAttributeKey('targetKind', 'KEYWORD');
const phase = defineSearchAttributeKey('phase', 'KEYWORD');

/** Builds the attributes that people filter workflows by in the Temporal Web UI; only the start builders call it. */
export function searchAttributes(values: {
  org?: string;
  product?: string;
  targetKind: string;
}): SearchAttributePair[] {
  return [
    ...(values.org === undefined ? [] : [{ key: org, value: values.org }]),
    { key: targetKind, value: values.targetKind },
    ...(values.product === undefined ? [] : [{ key: product, value: values.product }]),
  ];
}

export const phaseAttribute = (value: string): SearchAttributePair => ({ key: phase, value });
