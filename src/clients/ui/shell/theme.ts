import { useSyncExternalStore } from 'react';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const key = 'theme';
const listeners = new Set<() => void>();

const readTheme = (): Theme => themes.find((theme) => theme === localStorage.getItem(key)) ?? 'system';

export function applyTheme(theme: Theme = readTheme()): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

export function setTheme(theme: Theme): void {
  localStorage.setItem(key, theme);
  applyTheme(theme);
  for (const listener of listeners) listener();
}

export const useTheme = (): Theme =>
  useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, readTheme);
