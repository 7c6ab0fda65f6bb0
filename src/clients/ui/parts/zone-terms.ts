/** The settings of a zone in words, the same on every page. */
export const accesses = { 'signed-in': 'Signed-in only', public: 'Public', none: 'No address' } as const;
export const policies = { automatic: 'Automatically', 'after-approval': 'After approval' } as const;

/** The service lets everyone open a zone whose spec does not say who can. */
export const defaultAccess = 'public';
