import { useState, type ReactNode } from 'react';
import styles from './item-list.module.css';

export const ItemList = ({ children }: { children: ReactNode }) => <ol className={styles['list']}>{children}</ol>;

/** An item of a list that opens to its fields; it opens by itself when a field has an error. */
export function FoldedItem({
  name,
  description,
  isInvalid,
  isNew = false,
  tools,
  children,
}: {
  name: string;
  description: string;
  isInvalid: boolean;
  /** A new item is open, because its fields have to be filled in. */
  isNew?: boolean;
  tools: ReactNode;
  children: ReactNode;
}) {
  // An item that an error has opened stays open when the person corrects the error.
  const [isOpen, setOpen] = useState(isNew);
  return (
    <li data-row>
      <details
        className={`${styles['item']} ${isInvalid ? styles['invalid'] : ''}`}
        open={isInvalid || isOpen}
        onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      >
        <summary>
          <b>{name}</b>
          <span>
            {description}
            {isInvalid && ' · has an error'}
          </span>
        </summary>
        <div>{children}</div>
      </details>
      <div className={styles['tools']}>{tools}</div>
    </li>
  );
}
