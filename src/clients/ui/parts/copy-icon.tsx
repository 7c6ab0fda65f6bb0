import { Check, Copy as CopyIcon } from 'lucide-react';
import { useEffect, useState } from 'react';
import { announce } from '../shell/announcer.tsx';
import { copyText } from './copy-text.ts';
import styles from './copy-icon.module.css';

/** A button that copies a value, also on pages of plain http, which have no clipboard of their own. */
export function CopyIconButton({ value, label }: { value: string; label: string }) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async (): Promise<void> => {
    if (!(await copyText(value))) return;
    setCopied(true);
    announce('Copied.');
  };
  const Icon = isCopied ? Check : CopyIcon;
  return (
    <button type="button" className={styles['copy']} aria-label={label} title={label} onClick={() => void copy()}>
      <Icon className="i s" aria-hidden="true" />
    </button>
  );
}
