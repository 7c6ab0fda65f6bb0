import type { View } from './document-editor.tsx';

export type ViewSearch = { view?: View };

/** The form is the view that the URL does not name. */
export const toViewSearch = (search: Record<string, unknown>): ViewSearch =>
  search['view'] === 'yaml' ? { view: 'yaml' } : {};
