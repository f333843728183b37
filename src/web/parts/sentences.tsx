/** Sentences below a heading, or that there is none. */
export const Sentences = ({
  title,
  sentences,
  none,
}: {
  title: string;
  sentences: readonly string[];
  none?: string;
}) => (
  <>
    <h3>{title}</h3>
    {sentences.length === 0 ? (
      <p class="quiet">{none}</p>
    ) : (
      <ul class="sentences">
        {sentences.map((one) => (
          <li key={one}>{one}</li>
        ))}
      </ul>
    )}
  </>
);
