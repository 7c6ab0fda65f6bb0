import type { LogoType } from '../../src/rules/products/logo.ts';
import type { ProductLogo } from '../../src/rules/products/kinds.ts';
import { startAttributes } from '../start-attributes.ts';
import { defaultTaskQueue } from '../task-queues.ts';
import type { WorkflowStart } from '../workflow-start.ts';

export type DeleteProductInput = { org: string; product: string; by: string };

export const deleteProductStart = (
  input: DeleteProductInput,
): WorkflowStart<(input: DeleteProductInput) => Promise<void>> => ({
  type: 'deleteProduct',
  options: {
    workflowId: `delete-product/${input.org}/${input.product}`,
    args: [input],
    taskQueue: defaultTaskQueue,
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    ...startAttributes({ org: input.org, product: input.product, targetKind: 'product' }),
    staticSummary: `Delete Product ${input.product}`,
    staticDetails: `Org **${input.org}**, requested by ${input.by}.`,
  },
});

export type CreateIssueInput = {
  org: string;
  product: string;
  repo: string;
  /** Identifies the request: retries with the same id create one issue. */
  requestId: string;
  /** The blob key of the issue's text; the code host adapter also uses it to recognize a retry. */
  payloadKey: string;
};

export const createIssueType = 'createIssue';

/** A failed attempt may run again with the same request id; a completed one returns its result again. */
export const createIssueStart = (
  input: CreateIssueInput,
): WorkflowStart<(input: CreateIssueInput) => Promise<{ number: number }>> => ({
  type: createIssueType,
  options: {
    workflowId: `create-issue/${input.org}/${input.requestId}`,
    args: [input],
    taskQueue: defaultTaskQueue,
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
    ...startAttributes({ org: input.org, product: input.product, targetKind: 'issue' }),
    staticSummary: `Create an issue on ${input.repo}`,
    staticDetails: `Org **${input.org}**, Product **${input.product}**.`,
  },
});

export type LabelIssueInput = {
  org: string;
  product: string;
  repo: string;
  number: number;
  requestId: string;
  add: string[];
  remove: string[];
  /** The person who asked for it. */
  by: string;
};

export const labelIssueStart = (input: LabelIssueInput): WorkflowStart<(input: LabelIssueInput) => Promise<void>> => ({
  type: 'labelIssue',
  options: {
    workflowId: `label-issue/${input.org}/${input.requestId}`,
    args: [input],
    taskQueue: defaultTaskQueue,
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
    ...startAttributes({ org: input.org, product: input.product, targetKind: 'issue' }),
    staticSummary: `Label ${input.repo}#${input.number}`,
    staticDetails: `Org **${input.org}**, Product **${input.product}**.`,
  },
});

export type CommitLogoInput = {
  org: string;
  product: string;
  repo: string;
  /** The hash of the image, which is also its blob key. */
  hash: string;
  type: LogoType;
};

/** The id allows one commit at a time of the same image. */
export const commitLogoStart = (
  input: CommitLogoInput,
): WorkflowStart<(input: CommitLogoInput) => Promise<ProductLogo>> => ({
  type: 'commitLogo',
  options: {
    workflowId: `commit-logo/${input.org}/${input.product}/${input.hash.slice(0, 16)}`,
    args: [input],
    taskQueue: defaultTaskQueue,
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    ...startAttributes({ org: input.org, product: input.product, targetKind: 'logo' }),
    staticSummary: `${input.product}: commit logo to ${input.repo}`,
    staticDetails: `Org **${input.org}**, image ${input.hash}.`,
  },
});

export type SuggestLogosInput = {
  org: string;
  product: string;
  /** The request id, which is part of the blob keys of the suggestions. */
  round: string;
};

/** A failed attempt may run again with the same request id; completed suggestions stay as they are. */
export const suggestLogosStart = (
  input: SuggestLogosInput,
): WorkflowStart<(input: SuggestLogosInput) => Promise<void>> => ({
  type: 'suggestLogos',
  options: {
    workflowId: `suggest-logos/${input.org}/${input.product}/${input.round}`,
    args: [input],
    taskQueue: defaultTaskQueue,
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
    ...startAttributes({ org: input.org, product: input.product, targetKind: 'logo' }),
    staticSummary: `${input.product}: suggest logos`,
    staticDetails: `Org **${input.org}**, request ${input.round}.`,
  },
});

export type ScaffoldProductInput = {
  org: string;
  product: string;
  /** The uid of the Product, so that a Product of the same name that is created later is scaffolded on its own. */
  uid: string;
  /** The person who created the Product, who starts its first Release. */
  by: string;
};

/** The id allows one attempt at a time, and another one after a failure. */
export const scaffoldProductStart = (
  input: ScaffoldProductInput,
): WorkflowStart<(input: ScaffoldProductInput) => Promise<void>> => ({
  type: 'scaffoldProduct',
  options: {
    workflowId: `scaffold-product/${input.org}/${input.product}/${input.uid}`,
    args: [input],
    taskQueue: defaultTaskQueue,
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    ...startAttributes({ org: input.org, product: input.product, targetKind: 'product' }),
    staticSummary: `${input.product}: create its repo and first Release`,
    staticDetails: `Org **${input.org}**, requested by ${input.by}.`,
  },
});
