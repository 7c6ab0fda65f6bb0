const storageKey = 'single-keys';

/** People who dictate or type by mistake turn off the shortcuts that are one letter; the others stay. */
export const areSingleKeysOn = (): boolean => localStorage.getItem(storageKey) !== 'off';
export const setSingleKeys = (isOn: boolean): void => localStorage.setItem(storageKey, isOn ? 'on' : 'off');

const typing =
  'input, textarea, select, [contenteditable], [role=menu], [role=listbox], [role=dialog], [role=alertdialog]';

/** Returns whether a key press is a shortcut, and not text or a key of an open menu or dialog. */
export function isShortcut(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return false;
  return areSingleKeysOn() && !(event.target instanceof Element && event.target.closest(typing));
}

/** On a Mac the command key is used for what the control key does elsewhere. */
export const isMac = (): boolean => /Mac|iPhone|iPad/.test(navigator.platform);
