// Texts of other kinds than the chapter, for tests of core/extract: what extraction meets in the wild.
#pragma once

#include <string_view>

namespace plumb::extract_texts {

inline constexpr std::string_view history = R"text(# The Congress of Vienna

The Congress of Vienna was a meeting of ambassadors of European states chaired by the Austrian statesman
Klemens von Metternich. It was held in Vienna from September 1814 to June 1815. The objective of the
congress was to provide a long-term peace plan for Europe after the French Revolutionary Wars and the
Napoleonic Wars.

France had lost all its recent conquests, while Prussia, Austria and Russia made major territorial gains.
Prussia added smaller German states in the west, Swedish Pomerania and 40 percent of the Kingdom of Saxony.
Austria gained Venice and much of northern Italy. Russia gained parts of Poland. The new Kingdom of the
Netherlands had been created in 1815 and included former Austrian territory that became Belgium in 1830.

Napoleon returned from Elba in March 1815 and ruled France for about 100 days. The Duke of Wellington and
Gebhard Leberecht von Blücher defeated him at Waterloo on 18 June 1815. The final treaty was signed in
Vienna nine days before the battle.

Charles Maurice de Talleyrand represented France, and Viscount Castlereagh represented the United Kingdom.
Tsar Alexander I led the Russian delegation himself. Prussia sent Karl August von Hardenberg and the scholar
Wilhelm von Humboldt.

The Holy Alliance was a coalition of Russia, Austria and Prussia that was signed in Paris in September 1815.
The Concert of Europe was a system of consultation by which the great powers kept the balance of power until
1848. In 1820 a revolt broke out in Spain, and in 1823 a French army restored the king. Greece became
independent in 1830 after a war of nine years.
)text";

inline constexpr std::string_view law = R"text(# Regulation on data

## Article 4: Definitions

For the purposes of this Regulation:

(1) "personal data" means any information relating to an identified or identifiable natural person;

(2) "processing" means any operation which is performed on personal data, such as collection, storage or
erasure;

(3) "controller" means the natural or legal person which determines the purposes and means of the processing;

(4) "processor" means a natural or legal person which handles information on behalf of the controller;

(5) "recipient" means a natural or legal person to which the information is disclosed;

(6) "consent" means any freely given, specific and informed indication of the wishes of the person concerned.

## Article 12

The controller shall provide information on action taken on a request without undue delay and in any event
within 30 days of receipt of the request. That period may be extended by 60 days where necessary. The
supervisory authority shall decide on a complaint within 90 days. A fine of up to 20,000,000 euros may be
imposed on a controller that processes personal data without consent. The processor shall notify the
controller of a breach within 72 hours.
)text";

inline constexpr std::string_view software = R"text(# plumbing-cache

`plumbing-cache` is a small library that keeps the results of slow functions in memory.

## Options

| Option | Meaning | Default |
| --- | --- | --- |
| `max_entries` | the largest number of results that are kept | 1000 |
| `ttl_seconds` | the time after which a result is dropped | 60 |
| `on_evict` | a function that is called for every dropped result | none |
| `shards` | the number of parts that have a lock of their own | 8 |

## Usage

```python
cache = Cache(max_entries=10)
cache.get("key", lambda: 42)
```

- **Entry**: a stored result together with the time of its creation
- **Eviction**: the removal of a result when the cache is full
- **Shard**: a part of the cache with its own lock
- **Loader**: the function that computes a missing result

The method `get` returns the stored result or calls the loader. The method `peek` returns the stored result
and never calls the loader. Use `clear` to drop everything. A typical lookup takes about 80 nanoseconds, and
a lookup with a lock held by another thread takes about 400 nanoseconds.
)text";

inline constexpr std::string_view german = R"text(# Die Zelle

Die Zelle ist die kleinste lebende Einheit aller Organismen. Der Zellkern ist ein Organell, das die
Erbinformation enthält. Das Zytoplasma ist eine zähe Flüssigkeit, die den Raum zwischen den Organellen
füllt. Die Zellmembran ist eine dünne Hülle, die das Innere vom Äußeren trennt.

## Organellen

Mitochondrien sind Organellen, in denen die Zellatmung abläuft. Chloroplasten sind Organellen, in denen die
Fotosynthese abläuft. Ribosomen sind kleine Teilchen, an denen Eiweiße gebildet werden. Vakuolen sind große
Räume, in denen Pflanzenzellen Wasser speichern. Das endoplasmatische Retikulum ist ein Netz von Membranen,
das Stoffe durch die Zelle leitet. Der Golgi-Apparat ist ein Stapel flacher Säckchen, der Eiweiße verpackt.

Robert Hooke beschrieb 1665 die Zellen im Kork. Matthias Jacob Schleiden stellte 1838 fest, dass alle
Pflanzen aus Zellen bestehen. Theodor Schwann dehnte diese Lehre 1839 auf die Tiere aus. Rudolf Virchow
schrieb 1855, dass jede Zelle aus einer Zelle entsteht.
)text";

inline constexpr std::string_view chinese = R"text(# 光合作用

光合作用是绿色植物利用光能把二氧化碳和水变成糖并放出氧气的过程。叶绿体是植物细胞中进行光合作用的细胞器。叶绿素是一种吸收红光和蓝光的绿色色素。类囊体是叶绿体里面扁平的囊状结构。基质是充满在类囊体周围的液体。气孔是叶片表面让气体进出的小孔。

光反应在类囊体的膜上进行，暗反应在基质中进行。每个叶肉细胞大约有50个叶绿体。1771年普利斯特利发现植物能够更新空气。
)text";

}  // namespace plumb::extract_texts
