/** The steps of setting up, in their order. */
export const stepNames = ['root', 'domain', 'metrics', 'org', 'codehost', 'models', 'product'] as const;
/** The steps that the later ones need. The others can be skipped. */
export const requiredSteps: readonly StepName[] = ['root', 'org'];
export type StepName = (typeof stepNames)[number];
