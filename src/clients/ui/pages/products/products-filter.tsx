import { Link, useNavigate } from '@tanstack/react-router';
import field from '../../parts/field.module.css';
import { SearchInput } from '../../parts/search-input.tsx';
import { defined } from '../../shell/search.ts';
import styles from './products.module.css';

type Props = { org: string; q: string; look: boolean; all: number; looks: number };

/** Narrows the Products by text, and to those that need a look. */
export function ProductsFilter({ org, q, look, all, looks }: Props) {
  const navigate = useNavigate();
  const rest = q === '' ? {} : { q };
  return (
    <>
      <label className="sr" htmlFor="products-q">
        Filter the Products
      </label>
      <SearchInput
        id="products-q"
        className={styles['q'] ?? ''}
        placeholder="Filter"
        words={q}
        onSearch={(words, isFurther) =>
          void navigate({
            to: '/$org',
            params: { org },
            search: defined({ look: look ? (true as const) : undefined, q: words || undefined }),
            replace: isFurther,
          })
        }
      />
      <span className={`${field['seg']} ${styles['which']}`} role="group" aria-label="Which Products">
        <Link to="/$org" params={{ org }} search={rest} activeProps={{}} aria-current={look ? undefined : 'true'}>
          All<span className="sr"> {all}</span>
        </Link>
        <Link
          to="/$org"
          params={{ org }}
          search={{ ...rest, look: true }}
          activeProps={{}}
          aria-current={look ? 'true' : undefined}
        >
          Needs a look, {looks}
        </Link>
      </span>
    </>
  );
}
