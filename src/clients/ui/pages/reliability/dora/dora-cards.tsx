import { Figure, Figures } from '../../../parts/figures.tsx';
import { Button } from '../../../parts/button.tsx';
import styles from './dora.module.css';
import { measures, metrics, type Dora, type Metric } from './measures.ts';

type Props = { dora: Dora; shown: Metric; onShow: (metric: Metric) => void };

/** A card for each metric with its rating, its trend and its value before. */
export const DoraCards = ({ dora, shown, onShow }: Props) => (
  <Figures>
    {metrics.map((metric) => {
      const { title, format, unit } = measures[metric];
      const figure = dora[metric];
      const { value, rating, previous, trend } = figure;
      return (
        <Figure
          key={metric}
          term={title}
          value={
            value === undefined ? (
              'No data'
            ) : (
              <>
                {format(figure)} <small>{unit(figure)}</small>
              </>
            )
          }
        >
          <Trend values={trend.map((part) => part.value)} />
          <span className={styles['line']}>
            <b>{rating ?? 'Not rated'}</b>
            <span className="dim">
              {previous.value === undefined ? 'no data before' : `${format(previous)} the ${dora.days} days before`}
            </span>
          </span>
          <Button small aria-pressed={metric === shown} onClick={() => onShow(metric)}>
            Events<span className="sr"> of {title}</span>
          </Button>
        </Figure>
      );
    })}
  </Figures>
);

const width = 200;
const height = 40;

/** A line through the parts of the window; the figure says the value in words. */
function Trend({ values }: { values: (number | undefined)[] }) {
  const known = values.flatMap((value) => value ?? []);
  const max = Math.max(...known, Number.MIN_VALUE);
  const points = values.flatMap((value, index) => {
    if (value === undefined) return [];
    const x = values.length === 1 ? width / 2 : (index / (values.length - 1)) * width;
    return [`${x},${height - 4 - (value / max) * (height - 8)}`];
  });
  return (
    <svg className={styles['trend']} viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      <polyline points={points.join(' ')} vectorEffect="non-scaling-stroke" />
    </svg>
  );
}
