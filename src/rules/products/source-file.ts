/** One file of the first commit of a scaffolded Product. */
export type SourceFile = { path: string; content: Uint8Array; executable: boolean };
