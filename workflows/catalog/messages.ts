import type { LogoType } from '../../src/rules/catalog/logo.ts';

export type DeleteProductInput = { org: string; product: string; by: string };
export const deleteProductId = (input: { org: string; product: string }): string =>
  `delete-product/${input.org}/${input.product}`;

export type CreateIssueInput = {
  org: string;
  repo: string;
  /** Where the issue's text waits; it is also what tells a second attempt from a second issue. */
  requestKey: string;
};
/** A request to create an issue is carried out once, however often it is made with the same key. */
export const createIssueId = (input: { org: string; requestId: string }): string =>
  `create-issue/${input.org}/${input.requestId}`;

export type LabelIssueInput = { org: string; repo: string; number: number; add: string[]; remove: string[] };
export const labelIssueId = (input: { org: string; requestId: string }): string =>
  `label-issue/${input.org}/${input.requestId}`;

export type CommitLogoInput = {
  org: string;
  product: string;
  repo: string;
  /** Of the image, which waits under it. */
  hash: string;
  type: LogoType;
};
/** The same image is brought in by one at a time. */
export const commitLogoId = (input: CommitLogoInput): string =>
  `commit-logo/${input.org}/${input.product}/${input.hash.slice(0, 16)}`;

export type SuggestLogosInput = {
  org: string;
  product: string;
  /** The request, under which the suggestions are kept. */
  round: string;
};
/** A request for suggestions is carried out once, however often it is made with the same key. */
export const suggestLogosId = (input: SuggestLogosInput): string =>
  `suggest-logos/${input.org}/${input.product}/${input.round}`;
