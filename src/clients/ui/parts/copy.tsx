import { Check, Copy as CopyIcon } from 'lucide-react';
import { useState } from 'react';
import { announce } from '../shell/announcer.tsx';
import { Button } from './button.tsx';

/** Copies a text to the clipboard, also on pages that are served by plain http. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [copied, setCopied] = useState<string>();
  const isCopied = copied === text;
  const Icon = isCopied ? Check : CopyIcon;
  return (
    <Button
      small
      onClick={() => {
        if (!copyText(text)) return;
        setCopied(text);
        announce('Copied.');
      }}
    >
      <Icon className="i s" aria-hidden="true" />
      {isCopied ? 'Copied' : label}
    </Button>
  );
}

/** `navigator.clipboard` exists only in secure contexts; the command works in all. */
function copyText(text: string): boolean {
  const area = document.createElement('textarea');
  const focused = document.activeElement;
  area.value = text;
  area.readOnly = true;
  area.className = 'sr';
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}
