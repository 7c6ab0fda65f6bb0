import { ChevronsUpDown } from 'lucide-react';
import type { ComponentProps } from 'react';
import { Brand } from './brand.tsx';
import styles from './shell.module.css';

export const OrgButton = ({ org, ...rest }: { org: string | undefined } & ComponentProps<'button'>) => (
  <button type="button" {...rest} className={styles['org']}>
    <Brand />
    <span className="sr-side">{org ?? 'No org'}</span>
    <ChevronsUpDown className="i s" aria-hidden="true" />
  </button>
);
