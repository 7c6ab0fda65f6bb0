import type { ReactNode } from 'react';
import type { Setting, ZoneDraft } from './zone-draft.ts';
import styles from './zone-settings.module.css';

export type FieldsProps = {
  org: string;
  /** The address that the service assigns, if any. */
  ownHost: string | undefined;
  base: ZoneDraft;
  draft: ZoneDraft;
  /** Finds the message of the API for a setting, or for a part of it such as `0/path`. */
  findError: (setting: Setting, part?: string) => string | undefined;
  onChange: (changes: Partial<ZoneDraft>) => void;
};

export const Was = ({ children }: { children: ReactNode }) => <span className={styles['was']}>Was {children}.</span>;

export const ErrorText = ({ id, children }: { id?: string; children: string | undefined }) =>
  children === undefined ? null : (
    <p id={id} className={styles['err']}>
      {children}
    </p>
  );
