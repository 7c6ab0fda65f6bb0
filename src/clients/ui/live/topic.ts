/** A list of an org, or one resource, whose changes a page shows at once. */
export type Topic = { kind: 'changes' | 'releases'; org: string; name?: string };
