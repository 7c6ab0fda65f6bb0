import { type Priority, type SearchAttributePair, defineSearchAttributeKey } from '@temporalio/common';

const org = defineSearchAttributeKey('org', 'KEYWORD');
const product = defineSearchAttributeKey('product', 'KEYWORD');
const targetKind = defineSearchAttributeKey('targetKind', 'KEYWORD');
const phase = defineSearchAttributeKey('phase', 'KEYWORD');

export type StartAttributes = { typedSearchAttributes: SearchAttributePair[]; priority: Priority };

/**
 * Builds the attributes that people filter workflows by in the Temporal Web UI, and the fairness key: when tasks wait for
 * workers, each org gets its turn, however many tasks another has. Activities and children inherit the key.
 */
export function startAttributes(values: { org?: string; product?: string; targetKind: string }): StartAttributes {
  const typedSearchAttributes = [
    ...(values.org === undefined ? [] : [{ key: org, value: values.org }]),
    { key: targetKind, value: values.targetKind },
    ...(values.product === undefined ? [] : [{ key: product, value: values.product }]),
  ];
  return { typedSearchAttributes, priority: { fairnessKey: values.org ?? '' } };
}

export const phaseAttribute = (value: string): SearchAttributePair => ({ key: phase, value });
