//! The articles most similar to one of them or to a user, by the cosine of their weighted terms.

mod terms;

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

use crate::model::Article;
use terms::terms;

/// The names and the term vectors of all articles.
pub struct Vectors {
    articles: Vec<Weighed>,
    places: HashMap<i64, usize>,
}

struct Weighed {
    id: i64,
    name: String,
    vector: Vector,
}

/// An article and its similarity.
pub struct Match {
    pub id: i64,
    pub similarity: f64,
}

/// Terms by their numbers, and their weights, scaled to length 1. In the order of the numbers, so that the products of
/// two vectors are added in the same order each time, whichever of the two comes first.
type Vector = Vec<(usize, f64)>;

impl Vectors {
    /// Weighs the terms of each article: tf × ln(N / df).
    pub fn of(articles: Vec<Article>) -> Self {
        let mut numbers = HashMap::new();
        let counted: Vec<_> = articles
            .iter()
            .map(|article| count(article, &mut numbers))
            .collect();
        let mut documents = vec![0_u32; numbers.len()];
        for &number in counted.iter().flat_map(BTreeMap::keys) {
            documents[number] += 1;
        }
        let total = articles.len() as f64;
        let weight = |number: usize, count: u32| {
            f64::from(count) * (total / f64::from(documents[number])).ln()
        };

        let articles: Vec<_> = articles
            .into_iter()
            .zip(counted)
            .map(|(article, counts)| {
                let weighed = counts.into_iter().map(|(n, count)| (n, weight(n, count)));
                Weighed {
                    id: article.id,
                    name: article.name,
                    vector: scaled(weighed.collect()),
                }
            })
            .collect();
        let places = articles.iter().enumerate();
        let places = places.map(|(place, article)| (article.id, place)).collect();
        Self { articles, places }
    }

    /// The name of this article.
    pub fn name(&self, id: i64) -> Option<&str> {
        self.article(id).map(|article| article.name.as_str())
    }

    /// The articles most similar to this one, most similar first, ties by lower id; none if there is no such article.
    pub fn most_similar(&self, id: i64, limit: usize) -> Option<Vec<Match>> {
        let own = self.article(id)?;
        Some(self.matches(&own.vector, &[id], limit))
    }

    /// The articles most similar to the sum of those that a user rated, without them, in the same order.
    pub fn best_for(&self, rated: &[i64], limit: usize) -> Vec<Match> {
        self.matches(&self.sum(rated), rated, limit)
    }

    fn article(&self, id: i64) -> Option<&Weighed> {
        self.places.get(&id).map(|&place| &self.articles[place])
    }

    fn sum(&self, ids: &[i64]) -> Vector {
        let mut total = BTreeMap::new();
        for article in ids.iter().filter_map(|&id| self.article(id)) {
            for &(term, weight) in &article.vector {
                *total.entry(term).or_insert(0.0) += weight;
            }
        }
        scaled(total.into_iter().collect())
    }

    fn matches(&self, own: &Vector, left_out: &[i64], limit: usize) -> Vec<Match> {
        let mut others: Vec<_> = self
            .articles
            .iter()
            .filter(|other| !left_out.contains(&other.id))
            .map(|other| Match {
                id: other.id,
                similarity: product(own, &other.vector),
            })
            .collect();
        others.sort_unstable_by(|one, other| {
            let more_similar = other.similarity.total_cmp(&one.similarity);
            more_similar.then(one.id.cmp(&other.id))
        });
        others.truncate(limit);
        others
    }
}

/// How often each term occurs, by its number, with the weights of the fields. New terms get the next numbers.
fn count(article: &Article, numbers: &mut HashMap<String, usize>) -> BTreeMap<usize, u32> {
    let fields = [
        (&article.name, 10),
        (&article.description, 3),
        (&article.kind, 1),
        (&article.tags, 1),
    ];
    let mut counts = BTreeMap::new();
    for (text, weight) in fields {
        for term in terms(text) {
            let next = numbers.len();
            *counts
                .entry(*numbers.entry(term).or_insert(next))
                .or_insert(0) += weight;
        }
    }
    counts
}

fn scaled(mut vector: Vector) -> Vector {
    let length = product(&vector, &vector).sqrt();
    if length == 0.0 {
        return Vector::new(); // all its terms are in every article: nothing is similar to it
    }
    for (_, weight) in &mut vector {
        *weight /= length;
    }
    vector
}

/// The sum of the products of the weights of common terms.
fn product(one: &Vector, other: &Vector) -> f64 {
    let mut sum = 0.0;
    let (mut i, mut j) = (0, 0);
    while i < one.len() && j < other.len() {
        let ((term, weight), (other_term, other_weight)) = (one[i], other[j]);
        match term.cmp(&other_term) {
            Ordering::Less => i += 1,
            Ordering::Greater => j += 1,
            Ordering::Equal => {
                sum += weight * other_weight;
                i += 1;
                j += 1;
            }
        }
    }
    sum
}
