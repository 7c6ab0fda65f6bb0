/** The steps of setting up, in their order. */
export const stepNames = ['root', 'org', 'codehost', 'models', 'product'] as const;
export type StepName = (typeof stepNames)[number];
