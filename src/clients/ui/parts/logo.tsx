import type { Product } from '../api/types.ts';
import styles from './product-header.module.css';

/** The image of a Product, or the beginning of its name. */
export function Logo({ product: { org, name, spec, status }, small = false }: { product: Product; small?: boolean }) {
  const className = `${styles['logo']} ${small ? styles['tiny'] : ''}`;
  if (!status?.logo)
    return (
      <span className={className} aria-hidden="true">
        {(spec.displayName ?? name).slice(0, 2)}
      </span>
    );
  return <img className={className} src={`/api/v1/orgs/${org}/products/${name}/logo`} alt="" />;
}
