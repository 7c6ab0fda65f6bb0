/** The ways to show a file of evidence; `other` is only offered as a download. */
export type FileKind = 'image' | 'video' | 'json' | 'text' | 'other';

const names: Record<FileKind, string> = { image: 'Image', video: 'Video', json: 'JSON', text: 'Text', other: 'File' };

export function toKind(type: string): FileKind {
  if (type.startsWith('image/')) return 'image';
  if (type.startsWith('video/')) return 'video';
  if (type === 'application/json') return 'json';
  return type.startsWith('text/') ? 'text' : 'other';
}

export const toKindName = (type: string): string => names[toKind(type)];
